import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { plainSchema } from "./discovery/declarations.ts";
import { isObject } from "./kernel/json.ts";
import { SERVICE } from "./kernel/service.ts";
import { SCOPES } from "./ports/caller.ts";
import { prompts, resources, tools } from "./registry.ts";

/*
 * Audits every declaration. The interface is frozen here: which tools there are, which need a key, and what each
 * accepts. Where the interface's own data file is at hand, the frozen list is held against it too.
 */

// name, then `!` for protected, then its parameters: `*` required, `:type` unless string.
const INTERFACE = `
get_svc_info; get_info; get_health; get_storage_status; list_artifacts; list_mcp_tools; render_ascii_conversion_form
list_cli_examples; list_integrations; list_rendered_forms; get_public_capabilities; get_route_compliance
get_discovery_compliance; get_agent_policy; list_agent_platforms; get_robots_policy; get_ai_policy
get_svc_web_manifest; get_svc_web_status; get_svc_web_scorecard; get_svc_web4_manifest; get_svc_web4_status
get_svc_scorecard; list_svc_fingerprints; get_trust_policy; get_discovery_manifest; get_public_access_summary
sync_network_tools!; refresh_agent_platform_registry!
get_artifact id*; create_local_artifact title* type description sourceService sourceRef schema:object
clone_artifact artifact*:object; export_artifact artifact*:object format; create_share_packet artifact*:object
list_workflows limit:number; get_workflow id*; create_workflow! name* description nodes:array edges:array tags:array
update_workflow! id* name description nodes:array edges:array tags:array status visibility
validate_workflow id nodes:array edges:array; plan_workflow id nodes:array edges:array
dry_run_workflow id nodes:array edges:array inputs:object; run_workflow! id* inputs:object; get_workflow_run id*
cancel_workflow_run! id*; list_templates limit:number; get_template id*; instantiate_template! templateId* name owner
list_approvals limit:number; approve_step! id* reason; reject_step! id* reason; render_mcp_tool_form toolName*
render_openapi_operation_form operationId method path serviceBaseUrl
render_json_schema_form schema*:object sourceRef title; render_webhook_schema_form schema:object eventName serviceBaseUrl
validate_form_input schema*:object value:object
generate_tool_specs service capability source_url topic output_mode selected_steps:object services:array toolchain:array
execute_ascii_conversion image* resolution:number charset grayscale:boolean inverted:boolean
preview_layout_artifact document:object templateSlug viewport; score_layout_artifact document:object templateSlug
export_layout_artifact document:object templateSlug format; preview_studio_design prompt templateId
convert_studio_design_to_workflow designId; get_cli_example id*
delegate_artifact targetService* artifact:object action dryRun:boolean
generate_suitectl_command artifactId templateId target action protected:boolean; get_integration_status slug*
get_rendered_form id*; test_mcp_tool name*; execute_mcp_tool! name* arguments:object; get_agent_platform id*
evaluate_agent_access target* action
lookup_svc_provenance url hash recordId workflowId runId artifactId delegationId formId
verify_svc_provenance recordId hash; publish_workflow! id*; save_artifact! artifact*:object
update_artifact! id* artifact:object; delete_artifact! id*; publish_artifact! artifactId* target
create_docs_report! artifact:object; create_sheet_export! artifact:object; create_catalog_entry! artifact:object
trigger_sandbox! artifact:object; trigger_browsercheck! artifact:object; trigger_evals! artifact:object
import_studio_design! designId*; trigger_eval! workflowId*; trigger_sandbox_validation! workflowId*
trigger_browsercheck_check! workflowId*; publish_docs_report! workflowId*; create_sheet_report! workflowId*
update_agent_policy! policy*:object
`;

const RESOURCE_URIS = `
svc://artifacts svc://artifact/{id} svc://workflows svc://workflow/{id} svc://runs svc://run/{id} svc://templates
svc://template/{id} svc://rendered-forms svc://rendered-form/{id} svc://studio svc://studio/templates svc://cli
svc://cli/examples svc://integrations svc://delegations svc://storage svc://approvals svc://mcp/tools
svc://network/sites svc://network/compliance svc://openapi svc://llms svc://trust-policy agent-policy://summary
agent-policy://platforms agent-policy://robots agent-policy://ai-policy agent-policy://trust-policy
`;

interface Frozen {
  readonly name: string;
  readonly guarded: boolean;
  readonly parameters: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly type: string;
  }[];
}

const frozen: readonly Frozen[] = INTERFACE.split(/[;\n]/)
  .map((line) => line.trim())
  .filter((line) => line !== "")
  .map((line) => {
    const [head = "", ...parameters] = line.split(/\s+/);
    return {
      name: head.replace("!", ""),
      guarded: head.endsWith("!"),
      parameters: parameters.map((text) => {
        const [name = "", type = "string"] = text.split(":");
        return { name: name.replace("*", ""), required: name.endsWith("*"), type };
      }),
    };
  });

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
    assert.deepEqual(tools.map((tool) => tool.name).sort(), frozen.map((tool) => tool.name).sort());
    assert.deepEqual(
      tools
        .filter((tool) => tool.access !== "public")
        .map((tool) => tool.name)
        .sort(),
      frozen
        .filter((tool) => tool.guarded)
        .map((tool) => tool.name)
        .sort(),
    );
    assert.deepEqual([tools.length, frozen.filter((tool) => tool.guarded).length], [91, 28]);
  });

  test("its resources are exactly the interface's, and there are 29 prompts", () => {
    assert.deepEqual(resources.map(({ uri }) => uri).sort(), RESOURCE_URIS.trim().split(/\s+/).sort());
    assert.equal(prompts.length, 29);
  });

  test("every parameter is the interface's, by name, type and requirement", () => {
    for (const want of frozen) {
      const tool = tools.find((candidate) => candidate.name === want.name);
      assert.ok(tool, want.name);
      const schema = plainSchema(tool.params);
      const given = Object.entries(properties(schema)).map(([name, property]) => ({
        name,
        required: Array.isArray(schema["required"]) && schema["required"].includes(name),
        type: isObject(property) ? property["type"] : undefined,
      }));
      const sorted = <T extends { readonly name: string }>(list: readonly T[]): readonly T[] =>
        [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
      assert.deepEqual(sorted(given), sorted(want.parameters), want.name);
      assert.equal(schema["additionalProperties"], false, want.name);
      assert.ok(Array.isArray(schema["required"]), want.name);
    }
  });

  test("the values that the interface bounds are bounded", () => {
    for (const name of ["list_workflows", "list_templates", "list_approvals"]) {
      const limit = properties(tools.find((tool) => tool.name === name)?.params)["limit"];
      assert.ok(isObject(limit));
      assert.deepEqual([limit["minimum"], limit["maximum"]], [1, 100], name);
    }
    const format = properties(tools.find((tool) => tool.name === "export_artifact")?.params)["format"];
    assert.ok(isObject(format));
    assert.deepEqual(format["enum"], ["json", "yaml", "markdown"]);
    for (const name of ["create_workflow", "update_workflow"]) {
      const tags = properties(tools.find((tool) => tool.name === name)?.params)["tags"];
      assert.ok(isObject(tags) && isObject(tags["items"]));
      assert.equal(tags["items"]["type"], "string", name);
    }
  });

  test("the frozen list agrees with the interface's data file where that is at hand", () => {
    const path = new URL("../../shared/contract/contract.json", import.meta.url);
    if (!existsSync(path)) return;
    const contract: unknown = JSON.parse(readFileSync(path, "utf8"));
    assert.ok(isObject(contract) && Array.isArray(contract["tools"]) && Array.isArray(contract["resources"]));
    const listed = contract["tools"].filter(isObject);
    assert.deepEqual(
      listed.map((tool) => String(tool["name"])).sort(),
      frozen.map((tool) => tool.name).sort(),
    );
    for (const want of frozen) {
      const tool = listed.find((candidate) => candidate["name"] === want.name);
      assert.equal(tool?.["protected"], want.guarded, want.name);
      const schema = tool?.["inputSchema"];
      assert.deepEqual(
        Object.keys(properties(schema)).sort(),
        want.parameters.map(({ name }) => name).sort(),
      );
    }
    assert.deepEqual(
      contract["resources"]
        .filter(isObject)
        .map((resource) => String(resource["uri"]))
        .sort(),
      resources.map(({ uri }) => uri).sort(),
    );
    assert.equal(contract["version"], SERVICE.version);
  });

  test("the version is the package's", () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    assert.equal(isObject(manifest) ? manifest["version"] : undefined, SERVICE.version);
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
      for (const [name, property] of Object.entries(properties(plainSchema(tool.params)))) {
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
