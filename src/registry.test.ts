import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { plainSchema } from "./discovery/declarations.ts";
import { isObject } from "./kernel/json.ts";
import { SERVICE } from "./kernel/service.ts";
import { SCOPES } from "./ports/caller.ts";
import { prompts, resources, tools } from "./registry.ts";

/*
 * Audits every declaration. The interface is fixed: tests/contract/contract.json holds the tools, which of them need a
 * key, the schema of their parameters and the resources, as data that no code of this service writes.
 */

const contract = readContract();

interface FixedTool {
  readonly name: string;
  readonly guarded: boolean;
  readonly schema: Record<string, unknown>;
}

function readContract(): { tools: readonly FixedTool[]; resources: readonly string[]; version: unknown } {
  const path = new URL("../tests/contract/contract.json", import.meta.url);
  const data: unknown = JSON.parse(readFileSync(path, "utf8"));
  assert.ok(isObject(data) && Array.isArray(data["tools"]) && Array.isArray(data["resources"]));
  return {
    tools: data["tools"].map((tool: unknown) => {
      assert.ok(isObject(tool) && typeof tool["name"] === "string" && isObject(tool["inputSchema"]));
      assert.equal(typeof tool["protected"], "boolean", tool["name"]);
      return { name: tool["name"], guarded: tool["protected"] === true, schema: tool["inputSchema"] };
    }),
    resources: data["resources"].map(String),
    version: data["version"],
  };
}

/** A parameter's schema without the texts that explain it. */
function bare(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const texts = new Set(["title", "description", "default", "examples"]);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !texts.has(keyword))
      .map(([keyword, value]) => [keyword, keyword === "items" ? bare(value) : value]),
  );
}

/** Names, types, limits and requirements of a tool's parameters. */
function bareParameters(schema: Record<string, unknown>): unknown {
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String).sort() : undefined;
  return {
    ...schema,
    required,
    properties: Object.fromEntries(
      Object.entries(properties(schema)).map(([name, property]) => [name, bare(property)]),
    ),
  };
}

const PLACEHOLDER = /to be written|lorem|\bTODO\b|\bTBD\b|not available in this build/i;
const properties = (schema: unknown): Record<string, unknown> =>
  isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};

/** A schema with those it is combined from. */
function shapesOf(schema: unknown): readonly Record<string, unknown>[] {
  if (!isObject(schema)) return [];
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((key) => {
    const combined = schema[key];
    return Array.isArray(combined) ? combined.flatMap(shapesOf) : [];
  });
  return [schema, ...parts];
}

describe("the registry is the interface", () => {
  test("its tools are exactly the interface's, with the same protection", () => {
    const names = (list: readonly { readonly name: string }[]): readonly string[] =>
      list.map(({ name }) => name).sort();
    assert.deepEqual(names(tools), names(contract.tools));
    assert.deepEqual(
      names(tools.filter((tool) => tool.access !== "public")),
      names(contract.tools.filter((tool) => tool.guarded)),
    );
    assert.deepEqual([tools.length, contract.tools.filter((tool) => tool.guarded).length], [91, 28]);
  });

  test("its resources are exactly the interface's, and there are 29 prompts", () => {
    assert.deepEqual(resources.map(({ uri }) => uri).sort(), contract.resources.toSorted());
    assert.equal(resources.length, 29);
    assert.equal(prompts.length, 29);
  });

  for (const want of contract.tools) {
    test(`the parameters of ${want.name} are the interface's: names, types, limits and requirements`, () => {
      const tool = tools.find((candidate) => candidate.name === want.name);
      assert.ok(tool);
      const schema = plainSchema(tool.input);
      assert.deepEqual(bareParameters(schema), bareParameters(want.schema));
      assert.equal(schema["additionalProperties"], false);
      assert.ok(Array.isArray(schema["required"]));
    });
  }

  test("the version of the interface is the contract's", () => {
    assert.equal(contract.version, SERVICE.version);
  });
});

describe("every tool is well declared", () => {
  for (const tool of tools) {
    test(tool.name, () => {
      assert.match(tool.name, /^[a-z][a-z0-9_]*$/);
      assert.ok(tool.title.length >= 4 && tool.title !== tool.name, "a title for people");
      assert.ok(tool.description.length >= 60, `a description of 60 characters or more: ${tool.description}`);
      assert.match(tool.description, /[.!?]$/, "a description in sentences");
      assert.doesNotMatch(`${tool.title} ${tool.description}`, PLACEHOLDER);
      for (const [name, property] of Object.entries(properties(plainSchema(tool.input)))) {
        const description = isObject(property) ? property["description"] : undefined;
        assert.ok(typeof description === "string" && description.length >= 10, `${name} has a description`);
      }
      const shapes = shapesOf(plainSchema(tool.output));
      assert.ok(
        shapes.some((shape) => shape["type"] === "object"),
        "the output is an object",
      );
      assert.ok(
        shapes.some((shape) => Object.keys(properties(shape)).length > 0),
        "an output schema that says what is in it",
      );
      assert.ok(tool.access === "public" || SCOPES.includes(tool.access));
      if (tool.access === "public") {
        assert.notEqual(tool.effect, "destructive", "nobody destroys anything without a key");
      } else {
        assert.notEqual(tool.effect, "none", "a key is asked for only where something changes");
      }
      if (tool.effect === "external") assert.ok(tool.openWorld, "what acts outside talks to the outside");
    });
  }

  test("names and titles are unique", () => {
    assert.equal(new Set(tools.map((tool) => tool.name)).size, tools.length);
    assert.equal(new Set(tools.map((tool) => tool.title)).size, tools.length);
  });
});

describe("every resource is well declared", () => {
  for (const resource of resources) {
    test(resource.uri, () => {
      assert.match(resource.name, /^[a-z0-9-]+$/);
      assert.ok(resource.title.length >= 4);
      assert.ok(resource.description.length >= 30, resource.description);
      assert.doesNotMatch(`${resource.title} ${resource.description}`, PLACEHOLDER);
    });
  }

  test("names, titles and URIs are unique", () => {
    for (const key of ["name", "title", "uri"] as const) {
      assert.equal(new Set(resources.map((resource) => resource[key])).size, resources.length, key);
    }
  });
});

describe("every prompt is well declared", () => {
  for (const prompt of prompts) {
    test(prompt.name, () => {
      assert.match(prompt.name, /^[a-z][a-z0-9_]*$/);
      assert.ok(prompt.title.length >= 4 && prompt.description.length >= 60, prompt.description);
      assert.doesNotMatch(`${prompt.title} ${prompt.description}`, PLACEHOLDER);
      for (const argument of prompt.arguments) {
        assert.match(argument.name, /^[a-zA-Z]+$/);
        assert.ok(argument.description.length >= 15, `${argument.name} has a description`);
      }
    });
  }

  test("names and titles are unique", () => {
    assert.equal(new Set(prompts.map(({ name }) => name)).size, prompts.length);
    assert.equal(new Set(prompts.map(({ title }) => title)).size, prompts.length);
  });
});
