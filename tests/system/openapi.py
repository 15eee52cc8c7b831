"""docs/openapi.yaml, and answers held against it.

Schemas of OpenAPI 3.1 are JSON Schema 2020-12, so jsonschema judges them. On
top of what the file says, nothing may be in an answer that the file does not
speak of: clients should ignore such members, a test must not."""

import copy
import pathlib
import re

import jsonschema
import yaml

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"


def strictly(schema):
    """The same schema, with objects that may hold nothing else."""
    if isinstance(schema, list):
        return [strictly(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: strictly(value) for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        out.setdefault("additionalProperties", False)
    return out


class Api:
    def __init__(self):
        self.document = yaml.safe_load(FILE.read_text())
        self.strict = strictly(copy.deepcopy(self.document))
        self.resolver = jsonschema.RefResolver("", self.strict)
        self.paths = []
        for template in self.document["paths"]:
            pattern = re.sub(r"\{[a-z]+\}", "[^/]+", template)
            self.paths.append((re.compile(pattern), template))

    def template(self, path):
        """/api/v1/routers/{router} for the path of a request."""
        for pattern, template in self.paths:
            if pattern.fullmatch(path):
                return template
        raise AssertionError(f"{path} is not in {FILE.name}")

    def find(self, node):
        while "$ref" in node:
            node = self.resolver.resolve(node["$ref"])[1]
        return node

    def operation(self, method, path):
        item = self.strict["paths"][self.template(path)]
        assert method.lower() in item, f"{method} {path} is not in {FILE.name}"
        return item[method.lower()]

    def check(self, method, path, status, content_type, body):
        """@body is what was answered: an object for JSON, else text."""
        responses = self.operation(method, path)["responses"]
        where = f"{method} {path}: {status}"
        assert str(status) in responses, f"{where} is not in {FILE.name}"
        content = self.find(responses[str(status)]).get("content", {})
        kind = content_type.split(";")[0].strip()
        assert kind in content, f"{where} has type {kind}, not {list(content)}"
        self.validate(content[kind]["schema"], body, where)

    def check_as(self, name, body):
        self.validate(self.strict["components"]["schemas"][name], body, name)

    def validate(self, schema, body, where):
        validator = jsonschema.Draft202012Validator(schema,
                                                    resolver=self.resolver)
        problems = [f"{where}: {'/'.join(map(str, e.absolute_path))}: "
                    f"{e.message[:300]}"
                    for e in validator.iter_errors(body)]
        assert not problems, "\n".join(problems[:20])

    def names(self):
        """Every member, parameter and schema-less word the file speaks of."""
        found = set()

        def walk(node):
            if isinstance(node, list):
                for one in node:
                    walk(one)
            elif isinstance(node, dict):
                if isinstance(node.get("properties"), dict):
                    found.update(node["properties"])
                if node.get("in") in ("query", "header"):
                    found.add(node["name"])
                for value in node.values():
                    walk(value)
        walk(self.document)
        return found
