# Checks JSON reports against the schemas of share/heddle: each that a test reads (runs.py). It knows the words of JSON
# Schema that stand in these, and no others. To load Debian's jsonschema would take longer than most tests: ci_test.py
# compares the two.
import json
import os

TYPES = {"null": type(None), "boolean": bool, "string": str, "object": dict, "array": list, "integer": int,
         "number": (int, float)}
# What says nothing of a value, or is looked at beside another word.
IGNORED = {"$schema", "$id", "$defs", "title", "description", "properties", "required"}


class Schemas:
    """Those of a folder, by their file names (NAME.schema.json)."""

    def __init__(self, folder):
        self.files = {}
        for name in os.listdir(folder):
            if not name.endswith(".schema.json"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                self.files[name] = json.load(file)

    def why_invalid(self, value, name):
        """None, or where the value is not as the schema says."""
        return self.check(value, self.files[name], name, "")

    def check(self, value, schema, name, where):
        for word, wanted in schema.items():
            if word in IGNORED:
                continue
            why = getattr(self, "check_" + word.replace("$", ""))(value, wanted, schema, name, where)
            if why is not None:
                return why
        return self.check_members(value, schema, name, where) if isinstance(value, dict) else None

    def check_type(self, value, wanted, _schema, _name, where):
        for one in [wanted] if isinstance(wanted, str) else wanted:
            if isinstance(value, TYPES[one]) and (one == "boolean" or not isinstance(value, bool)):
                return None
        return f"{where or 'it'} is {value!r}, and no {wanted}"

    def check_enum(self, value, wanted, _schema, _name, where):
        return None if value in wanted else f"{where} is {value!r}, and none of {wanted}"

    def check_const(self, value, wanted, _schema, _name, where):
        return None if value == wanted else f"{where} is {value!r}, and not {wanted!r}"

    def check_minimum(self, value, wanted, _schema, _name, where):
        return f"{where} is {value}, less than {wanted}" if isinstance(value, (int, float)) and value < wanted else None

    def check_maximum(self, value, wanted, _schema, _name, where):
        return f"{where} is {value}, more than {wanted}" if isinstance(value, (int, float)) and value > wanted else None

    def check_items(self, value, wanted, _schema, name, where):
        if isinstance(value, list):
            for index, one in enumerate(value):
                why = self.check(one, wanted, name, f"{where}[{index}]")
                if why is not None:
                    return why
        return None

    def check_anyOf(self, value, wanted, _schema, name, where):
        why = None
        for one in wanted:
            why = self.check(value, one, name, where)
            if why is None:
                return None
        return why

    def check_ref(self, value, wanted, _schema, name, where):
        file, _, path = wanted.partition("#")
        schema = self.files[file or name]
        for part in path.split("/")[1:]:
            schema = schema[part]
        return self.check(value, schema, file or name, where)

    def check_additionalProperties(self, value, wanted, schema, _name, where):
        assert wanted is False
        unknown = sorted(set(value) - set(schema["properties"])) if isinstance(value, dict) else []
        return f"{where or 'it'} has unknown fields: {', '.join(unknown)}" if unknown else None

    def check_members(self, value, schema, name, where):
        for field in schema.get("required", ()):
            if field not in value:
                return f"{where or 'it'} has no field {field}"
        for field, one in schema.get("properties", {}).items():
            if field in value:
                why = self.check(value[field], one, name, f"{where}.{field}" if where else field)
                if why is not None:
                    return why
        return None
