import { EXAMPLE } from "../examples.ts";
import { defineTemplate } from "./template.ts";

/* Long on purpose: whole workflows as data. */

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
    inputs: {
      type: "object",
      properties: { schemas: { type: "array", items: { type: "object" }, minItems: 1, maxItems: 200 } },
      required: ["schemas"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "render",
        type: "map",
        title: "Render each schema",
        map: {
          items: { $ref: "inputs.schemas" },
          maxItems: 200,
          concurrency: 8,
          onItemError: "continue",
          body: {
            tool: "render_json_schema_form",
            with: { schema: { $ref: "item" }, title: { $expr: '"Schema " + string(index + 1)' } },
          },
        },
      },
      {
        id: "summary",
        type: "transform",
        title: "Count",
        value: {
          rendered: { $expr: "steps.render.outputs.count - steps.render.outputs.failed" },
          failed: { $ref: "steps.render.outputs.failed" },
        },
      },
    ],
    edges: [{ from: "render", to: "summary" }],
    outputs: {
      summary: { $ref: "steps.summary.outputs" },
      results: { $ref: "steps.render.outputs.results" },
    },
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
    inputs: {
      type: "object",
      properties: { workflowId: { type: "string", minLength: 1 } },
      required: ["workflowId"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "find",
        type: "tool",
        title: "Find the records",
        tool: "lookup_svc_provenance",
        with: { workflowId: { $ref: "inputs.workflowId" } },
      },
      {
        id: "verify",
        type: "map",
        title: "Verify each record",
        map: {
          items: { $ref: "steps.find.outputs.data.records" },
          maxItems: 500,
          concurrency: 4,
          onItemError: "continue",
          body: {
            nodes: [
              {
                id: "one",
                type: "tool",
                tool: "verify_svc_provenance",
                with: { recordId: { $expr: "string(item.recordId)" } },
              },
              {
                id: "verdict",
                type: "transform",
                value: {
                  record: { $expr: "string(item.recordId)" },
                  verified: { $ref: "steps.one.outputs.data.verified" },
                },
              },
            ],
            edges: [{ from: "one", to: "verdict" }],
            outputs: { $ref: "steps.verdict.outputs" },
          },
        },
      },
      {
        id: "bad",
        type: "transform",
        title: "What does not verify",
        value: {
          records: {
            $expr: "steps.verify.outputs.results.filter(r, has(r.verified) ? r.verified != true : true)",
          },
          checked: { $ref: "steps.verify.outputs.count" },
        },
      },
      {
        id: "verdict",
        type: "switch",
        title: "All good?",
        cases: [{ name: "broken", when: "size(steps.bad.outputs.records) > 0" }],
      },
      {
        id: "report",
        type: "tool",
        title: "Report it",
        tool: "create_docs_report",
        with: {
          artifact: {
            title: "Provenance that does not verify",
            type: "audit",
            records: { $ref: "steps.bad.outputs.records" },
          },
        },
        idempotencyKey: { $expr: '"provenance:" + run.id' },
        retry: { maxAttempts: 3, backoffMs: 5000 },
      },
      {
        id: "look",
        type: "approval",
        title: "Look into it",
        approval: {
          title: "Provenance records do not verify. Acknowledge.",
          show: {
            report: { $ref: "steps.report.outputs.data.resultRef" },
            records: { $ref: "steps.bad.outputs.records" },
          },
          reminderMs: 3_600_000,
          escalateMs: 14_400_000,
          expiresInMs: 604_800_000,
        },
      },
      { id: "clean", type: "transform", title: "A quiet night", value: { clean: true } },
    ],
    edges: [
      { from: "find", to: "verify" },
      { from: "verify", to: "bad" },
      { from: "bad", to: "verdict" },
      { from: "verdict", to: "report", port: "case:broken" },
      { from: "report", to: "look" },
      { from: "verdict", to: "clean", port: "default" },
    ],
    outputs: {
      checked: { $ref: "steps.bad.outputs.checked" },
      broken: { $ref: "steps.bad.outputs.records" },
    },
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
    inputs: {
      type: "object",
      properties: {
        prompt: { type: "string", minLength: 3, maxLength: 2000 },
        name: { type: "string", minLength: 1, maxLength: 200 },
      },
      required: ["prompt", "name"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "design",
        type: "tool",
        title: "Design",
        tool: "preview_studio_design",
        with: { prompt: { $ref: "inputs.prompt" } },
      },
      {
        id: "draft",
        type: "tool",
        title: "Draft a workflow",
        tool: "convert_studio_design_to_workflow",
        with: { designId: { $expr: "string(steps.design.outputs.data.design.id)" } },
      },
      {
        id: "graph",
        type: "transform",
        title: "Put inputs and outputs on the graph",
        value: {
          nodes: {
            $expr:
              '[{"id": "start", "type": "start", "inputs": steps.draft.outputs.data.workflow.inputs}, {"id": "end", "type": "end", "outputs": steps.draft.outputs.data.workflow.outputs}] + steps.draft.outputs.data.workflow.nodes',
            default: [],
          },
          edges: { $ref: "steps.draft.outputs.data.workflow.edges", default: [] },
        },
      },
      {
        id: "check",
        type: "tool",
        title: "Validate the draft",
        tool: "validate_workflow",
        with: {
          nodes: { $ref: "steps.graph.outputs.nodes" },
          edges: { $ref: "steps.graph.outputs.edges" },
        },
      },
      {
        id: "sound",
        type: "switch",
        title: "Any errors?",
        cases: [{ name: "none", when: "steps.check.outputs.data.errors == 0" }],
      },
      {
        id: "look",
        type: "approval",
        title: "Keep this draft?",
        approval: {
          title: { $expr: '"Store the draft as " + inputs.name + "?"' },
          show: {
            workflow: { $ref: "steps.draft.outputs.data.workflow" },
            warnings: { $ref: "steps.check.outputs.data.warnings" },
          },
          expiresInMs: 604_800_000,
        },
      },
      {
        id: "store",
        type: "tool",
        title: "Store it",
        tool: "create_workflow",
        with: {
          name: { $ref: "inputs.name" },
          description: { $ref: "inputs.prompt" },
          nodes: { $ref: "steps.graph.outputs.nodes" },
          edges: { $ref: "steps.graph.outputs.edges" },
          tags: ["from-design"],
        },
        idempotencyKey: { $expr: '"design:" + run.id' },
        retry: { maxAttempts: 3, backoffMs: 1000 },
      },
      {
        id: "problems",
        type: "transform",
        title: "Problems",
        value: { $ref: "steps.check.outputs.data.problems" },
      },
    ],
    edges: [
      { from: "design", to: "draft" },
      { from: "draft", to: "graph" },
      { from: "graph", to: "check" },
      { from: "check", to: "sound" },
      { from: "sound", to: "look", port: "case:none" },
      { from: "sound", to: "problems", port: "default" },
      { from: "look", to: "store", port: "approved" },
    ],
    outputs: {
      workflowId: { $ref: "steps.store.outputs.data.workflow.id", default: null },
      problems: { $ref: "steps.problems.outputs", default: [] },
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
    inputs: {
      type: "object",
      properties: {
        policy: { type: "object", description: "The fields of the policy to change." },
        coolOffMs: { type: "integer", minimum: 0, maximum: 604_800_000, default: 86_400_000 },
      },
      required: ["policy"],
      additionalProperties: false,
    },
    nodes: [
      { id: "now", type: "tool", title: "The policy in force", tool: "get_agent_policy" },
      {
        id: "first",
        type: "approval",
        title: "First approval",
        approval: {
          title: "Change the agent policy?",
          show: {
            from: { $ref: "steps.now.outputs.data.summary" },
            revision: { $ref: "steps.now.outputs.data.revision" },
            to: { $ref: "inputs.policy" },
          },
          expiresInMs: 604_800_000,
        },
      },
      {
        id: "coolOff",
        type: "wait",
        title: "Cooling off",
        wait: { ms: { $ref: "inputs.coolOffMs", default: 86_400_000 } },
      },
      {
        id: "second",
        type: "approval",
        title: "Still so?",
        approval: {
          title: "The cooling-off period is over. Change the agent policy now?",
          show: { to: { $ref: "inputs.policy" }, approvedBy: { $ref: "steps.first.outputs.decidedBy" } },
          expiresInMs: 604_800_000,
        },
      },
      {
        id: "change",
        type: "tool",
        title: "Change it",
        tool: "update_agent_policy",
        with: { policy: { $ref: "inputs.policy" } },
      },
    ],
    edges: [
      { from: "now", to: "first" },
      { from: "first", to: "coolOff", port: "approved" },
      { from: "coolOff", to: "second" },
      { from: "second", to: "change", port: "approved" },
    ],
    outputs: {
      revision: { $ref: "steps.change.outputs.data.revision" },
      digest: { $ref: "steps.change.outputs.data.digest" },
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
    inputs: {
      type: "object",
      properties: {
        names: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1, maxItems: 100 },
      },
      required: ["names"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "each",
        type: "map",
        title: "Look at each tool",
        map: {
          items: { $ref: "inputs.names" },
          maxItems: 100,
          concurrency: 8,
          onItemError: "continue",
          body: {
            nodes: [
              { id: "known", type: "tool", tool: "test_mcp_tool", with: { name: { $ref: "item" } } },
              {
                id: "access",
                type: "tool",
                tool: "evaluate_agent_access",
                with: { target: { $ref: "item" } },
              },
              {
                id: "form",
                type: "tool",
                tool: "render_mcp_tool_form",
                if: "steps.known.outputs.data.registered",
                with: { toolName: { $ref: "item" } },
              },
              {
                id: "row",
                type: "transform",
                value: {
                  name: { $ref: "item" },
                  registered: { $ref: "steps.known.outputs.data.registered" },
                  requiresKey: { $ref: "steps.known.outputs.data.requiresKey" },
                  verdict: { $ref: "steps.access.outputs.data.verdict" },
                  form: { $ref: "steps.form.outputs.data.renderStatus", default: "none" },
                },
              },
            ],
            edges: [
              { from: "known", to: "form" },
              { from: "known", to: "row" },
              { from: "access", to: "row" },
              { from: "form", to: "row" },
            ],
            outputs: { $ref: "steps.row.outputs" },
          },
        },
      },
    ],
    edges: [],
    outputs: { tools: { $ref: "steps.each.outputs.results" } },
  },
});
