# What system calls can do to other threads, or how they can make two executions differ. By it tools/check_api.py
# decides whether a library function is harmless. A system call that is in neither table fails the test.

# Lines of a table: what the calls can do or why they are harmless, and their names.
CAN = {
    "block, or wake who waits at the other end": """
        read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2 open openat openat2 creat
        open_by_handle_at close close_range dup2 dup3 shutdown splice tee vmsplice sendfile copy_file_range
        ioctl fcntl flock poll ppoll select pselect6 epoll_wait epoll_pwait epoll_pwait2 accept accept4 connect
        recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg futex wait4 waitid pause rt_sigsuspend rt_sigtimedwait
        semop semtimedop msgrcv msgsnd mq_timedreceive mq_timedsend mq_getsetattr io_getevents
        io_submit process_mrelease""",
    "make something to wait for": """
        pipe pipe2 eventfd eventfd2 signalfd signalfd4 socket socketpair epoll_create epoll_create1 epoll_ctl
        dup memfd_create inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init
        fanotify_mark bind listen pidfd_open pidfd_getfd mq_open mq_notify msgget semget shmget shmat shmdt
        msgctl semctl shmctl""",
    "send or await a signal": """
        kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal rt_sigpending setitimer getitimer
        alarm timer_create timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create
        timerfd_settime timerfd_gettime""",
    "create or end a task or process": """
        clone clone3 fork vfork execve execveat exit exit_group ptrace prctl unshare setns""",
    "tell, set or take time": """
        clock_gettime gettimeofday time times getrusage clock_getres clock_nanosleep nanosleep clock_settime
        settimeofday clock_adjtime adjtimex rdtsc rdtscp""",
    "bring in chance": """
        getrandom getpid gettid getppid getpgid getpgrp getsid setpgid setsid getcpu sched_getaffinity sysinfo
        mincore rdrand rdseed rdpid""",
    "change who runs": """
        sched_yield sched_setscheduler sched_getscheduler sched_setparam sched_getparam sched_setaffinity
        sched_setattr sched_getattr sched_rr_get_interval sched_get_priority_max sched_get_priority_min
        setpriority getpriority setuid setgid setreuid setregid setresuid setresgid setgroups""",
    "be anything: the number is not in the code": "unknown",
}

HARMLESS = {
    "memory of the process, which snapshots know": """
        mmap munmap mprotect madvise mremap brk mlock mlock2 mlockall munlock munlockall msync remap_file_pages
        pkey_alloc pkey_free pkey_mprotect process_madvise process_vm_readv process_vm_writev""",
    "files and folders: waits for a disk at most, and shows what is there": """
        lseek fstat stat lstat newfstatat statx fstatfs statfs ustat getdents64 getcwd readlink readlinkat
        access faccessat faccessat2 rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat
        mkdir mkdirat rmdir chmod fchmod fchmodat chown fchown fchownat lchown mknod mknodat truncate ftruncate
        fallocate fadvise64 readahead utimensat utime utimes futimesat chdir fchdir umask fsync fdatasync sync
        syncfs sync_file_range getxattr lgetxattr fgetxattr setxattr lsetxattr fsetxattr listxattr llistxattr
        flistxattr removexattr lremovexattr fremovexattr name_to_handle_at mq_unlink""",
    "state of the thread or process that concerns nobody else": """
        rt_sigprocmask rt_sigaction rt_sigreturn sigaltstack set_robust_list get_robust_list arch_prctl
        set_tid_address rseq prlimit64 getrlimit setrlimit personality ioperm iopl modify_ldt capget capset
        setfsuid setfsgid""",
    "who the process is: the same in every execution": """
        getuid geteuid getgid getegid getresuid getresgid getgroups uname""",
    "properties of a socket; that they change is a step, all the same": "getsockname getpeername getsockopt setsockopt",
    "the machine's administration, for which privileges are needed": """
        mount umount2 pivot_root chroot swapon swapoff reboot sethostname setdomainname init_module
        delete_module create_module get_kernel_syms query_module nfsservctl quotactl acct syslog vhangup uselib
        fsopen fsconfig fsmount fspick move_mount open_tree mount_setattr""",
}

# Groups of system calls that a function reaches through one of glibc's helpers, by the function that has just these.
# They are left out of what others are held to account for.
HELPERS = {
    "dcgettext": "messages",  # a catalog of messages or a conversion table is loaded once: regular files
    "sysconf": "processors",  # the number of processors or pages, for the size of a buffer
}


def words(table):
    return {name: reason for reason, names in table.items() for name in names.split()}
