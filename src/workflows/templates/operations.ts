import { EXAMPLE } from "../examples.ts";
import { approval, choose, expr, forEach, graph, object, ref, tool, transform, wait } from "./build.ts";
import { defineTemplate } from "./template.ts";

// Things that are done many times, or again and again.

export const fanOutSchemas = defineTemplate({
  id: "fan-out-schema-validation",
  name: "Check many schemas at once",
  description:
    "Renders each of up to 200 JSON Schemas as a form, eight at a time; one that cannot be rendered is recorded and does not stop the rest. The summary says how many rendered and how many failed.",
  tags: ["forms", "batch", "map"],
  needs: [],
  exampleInputs: {
    schemas: [
      { type: "object", properties: { name: { type: "string" } } },
      { type: "object", properties: { age: { type: "integer" } } },
    ],
  },
  document: {
    inputs: object({ schemas: { type: "array", items: { type: "object" }, minItems: 1, maxItems: 200 } }),
    ...graph(
      {
        render: forEach("Render each schema", {
          items: ref("inputs.schemas"),
          maxItems: 200,
          concurrency: 8,
          onItemError: "continue",
          body: {
            tool: "render_json_schema_form",
            with: { schema: ref("item"), title: expr('"Schema " + string(index + 1)') },
          },
        }),
        summary: transform("Count", {
          rendered: expr("steps.render.outputs.count - steps.render.outputs.failed"),
          failed: ref("steps.render.outputs.failed"),
        }),
      },
      "render > summary",
    ),
    outputs: { summary: ref("steps.summary.outputs"), results: ref("steps.render.outputs.results") },
  },
});

export const provenanceCheck = defineTemplate({
  id: "nightly-provenance-check",
  name: "Nightly provenance check",
  description:
    "Looks up the provenance records of a workflow and verifies each one: digest, signature, key, inclusion and anchor. Start it every night from your scheduler with suitectl. A record that does not verify leads to a report in Docs and to a person; a clean night ends quietly.",
  tags: ["provenance", "audit", "scheduled", "map"],
  needs: ["docs"],
  exampleInputs: { workflowId: EXAMPLE.workflow },
  document: {
    inputs: object({ workflowId: { type: "string", minLength: 1 } }),
    ...graph(
      {
        find: tool("Find the records", "lookup_svc_provenance", { workflowId: ref("inputs.workflowId") }),
        verify: forEach("Verify each record", {
          items: ref("steps.find.outputs.data.records"),
          maxItems: 500,
          concurrency: 4,
          onItemError: "continue",
          body: {
            ...graph(
              {
                one: tool("", "verify_svc_provenance", { recordId: expr("string(item.recordId)") }),
                verdict: transform("", {
                  record: expr("string(item.recordId)"),
                  verified: ref("steps.one.outputs.data.verified"),
                }),
              },
              "one > verdict",
            ),
            outputs: ref("steps.verdict.outputs"),
          },
        }),
        bad: transform("What does not verify", {
          records: expr(
            "steps.verify.outputs.results.filter(r, has(r.verified) ? r.verified != true : true)",
          ),
          checked: ref("steps.verify.outputs.count"),
        }),
        verdict: choose("All good?", { broken: "size(steps.bad.outputs.records) > 0" }),
        report: tool(
          "Report it",
          "create_docs_report",
          {
            artifact: {
              title: "Provenance that does not verify",
              type: "audit",
              records: ref("steps.bad.outputs.records"),
            },
          },
          { idempotencyKey: expr('"provenance:" + run.id'), retry: { maxAttempts: 3, backoffMs: 5000 } },
        ),
        look: approval("Look into it", {
          title: "Provenance records do not verify. Acknowledge.",
          show: {
            report: ref("steps.report.outputs.data.resultRef"),
            records: ref("steps.bad.outputs.records"),
          },
          reminderMs: 3_600_000,
          escalateMs: 14_400_000,
          expiresInMs: 604_800_000,
        }),
        clean: transform("A quiet night", { clean: true }),
      },
      "find > verify > bad > verdict:case:broken > report > look",
      "verdict:default > clean",
    ),
    outputs: { checked: ref("steps.bad.outputs.checked"), broken: ref("steps.bad.outputs.records") },
  },
});

export const designToWorkflow = defineTemplate({
  id: "design-to-workflow",
  name: "From a design to a workflow",
  description:
    "Asks the design studio (or its deterministic fallback) for a screen, turns it into a workflow draft, validates that draft, and stores it as a private workflow once a person has looked at it. A draft with problems is shown with them instead.",
  tags: ["studio", "drafts", "approval"],
  needs: [],
  exampleInputs: { prompt: "An intake form for access requests", name: "Access requests" },
  document: {
    inputs: object({
      prompt: { type: "string", minLength: 3, maxLength: 2000 },
      name: { type: "string", minLength: 1, maxLength: 200 },
    }),
    ...graph(
      {
        design: tool("Design", "preview_studio_design", { prompt: ref("inputs.prompt") }),
        draft: tool("Draft a workflow", "convert_studio_design_to_workflow", {
          designId: expr("string(steps.design.outputs.data.design.id)"),
        }),
        graph: transform("Put inputs and outputs on the graph", {
          nodes: expr(
            '[{"id": "start", "type": "start", "inputs": steps.draft.outputs.data.workflow.inputs}, {"id": "end", "type": "end", "outputs": steps.draft.outputs.data.workflow.outputs}] + steps.draft.outputs.data.workflow.nodes',
            [],
          ),
          edges: ref("steps.draft.outputs.data.workflow.edges", []),
        }),
        check: tool("Validate the draft", "validate_workflow", {
          nodes: ref("steps.graph.outputs.nodes"),
          edges: ref("steps.graph.outputs.edges"),
        }),
        sound: choose("Any errors?", { none: "steps.check.outputs.data.errors == 0" }),
        look: approval("Keep this draft?", {
          title: expr('"Store the draft as " + inputs.name + "?"'),
          show: {
            workflow: ref("steps.draft.outputs.data.workflow"),
            warnings: ref("steps.check.outputs.data.warnings"),
          },
          expiresInMs: 604_800_000,
        }),
        store: tool(
          "Store it",
          "create_workflow",
          {
            name: ref("inputs.name"),
            description: ref("inputs.prompt"),
            nodes: ref("steps.graph.outputs.nodes"),
            edges: ref("steps.graph.outputs.edges"),
            tags: ["from-design"],
          },
          { idempotencyKey: expr('"design:" + run.id'), retry: { maxAttempts: 3, backoffMs: 1000 } },
        ),
        problems: transform("Problems", ref("steps.check.outputs.data.problems")),
      },
      "design > draft > graph > check > sound:case:none > look",
      "sound:default > problems",
      "look:approved > store",
    ),
    outputs: {
      workflowId: ref("steps.store.outputs.data.workflow.id", null),
      problems: ref("steps.problems.outputs", []),
    },
  },
});

export const policyChange = defineTemplate({
  id: "policy-change-cool-off",
  name: "Agent policy change with a cooling-off period",
  description:
    "Shows the policy in force beside the proposed change, waits for an approval, then waits another day in which a second person can still object, and only then changes the policy. The new revision and its provenance are in the outputs.",
  tags: ["policy", "approval", "wait"],
  needs: [],
  // An example that can be watched: the default is a day.
  exampleInputs: { policy: { summary: "Agents may read public tools." }, coolOffMs: 2_000 },
  document: {
    inputs: object(
      {
        policy: { type: "object", description: "The fields of the policy to change." },
        coolOffMs: { type: "integer", minimum: 0, maximum: 604_800_000, default: 86_400_000 },
      },
      ["coolOffMs"],
    ),
    ...graph(
      {
        now: tool("The policy in force", "get_agent_policy"),
        first: approval("First approval", {
          title: "Change the agent policy?",
          show: {
            from: ref("steps.now.outputs.data.summary"),
            revision: ref("steps.now.outputs.data.revision"),
            to: ref("inputs.policy"),
          },
          expiresInMs: 604_800_000,
        }),
        coolOff: wait("Cooling off", { ms: ref("inputs.coolOffMs", 86_400_000) }),
        second: approval("Still so?", {
          title: "The cooling-off period is over. Change the agent policy now?",
          show: { to: ref("inputs.policy"), approvedBy: ref("steps.first.outputs.decidedBy") },
          expiresInMs: 604_800_000,
        }),
        change: tool("Change it", "update_agent_policy", { policy: ref("inputs.policy") }),
      },
      "now > first:approved > coolOff > second:approved > change",
    ),
    outputs: {
      revision: ref("steps.change.outputs.data.revision"),
      digest: ref("steps.change.outputs.data.digest"),
    },
    policy: { requireApproval: "writes" },
  },
});

export const toolFormCheck = defineTemplate({
  id: "tool-readiness-check",
  name: "Is this tool ready to use?",
  description:
    "For a list of tool names: is each registered, does it need a key, may this caller use it, and does its form render. Useful before handing a set of tools to an agent.",
  tags: ["tools", "agents", "map"],
  needs: [],
  exampleInputs: { names: ["get_health", "create_workflow"] },
  document: {
    inputs: object({
      names: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1, maxItems: 100 },
    }),
    ...graph({
      each: forEach("Look at each tool", {
        items: ref("inputs.names"),
        maxItems: 100,
        concurrency: 8,
        onItemError: "continue",
        body: {
          ...graph(
            {
              known: tool("", "test_mcp_tool", { name: ref("item") }),
              access: tool("", "evaluate_agent_access", { target: ref("item") }),
              form: tool(
                "",
                "render_mcp_tool_form",
                { toolName: ref("item") },
                { if: "steps.known.outputs.data.registered" },
              ),
              row: transform("", {
                name: ref("item"),
                registered: ref("steps.known.outputs.data.registered"),
                requiresKey: ref("steps.known.outputs.data.requiresKey"),
                verdict: ref("steps.access.outputs.data.verdict"),
                form: ref("steps.form.outputs.data.renderStatus", "none"),
              }),
            },
            "known > form",
            "known > row",
            "access > row",
            "form > row",
          ),
          outputs: ref("steps.row.outputs"),
        },
      }),
    }),
    outputs: { tools: ref("steps.each.outputs.results") },
  },
});
