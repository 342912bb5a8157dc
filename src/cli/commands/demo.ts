import type { DemoSuite } from "../../../packages/client/client.ts";
import type { Envelope } from "../../kernel/envelope.ts";
import type { Result } from "../output.ts";
import { listResult } from "../results.ts";
import { example, group, option } from "../spec.ts";
import type { Cli } from "../command.ts";

/** The six-step demo flow. */
export const demo = group("demo", {
  show: {
    summary: "The six-step demo flow; with --live its public-safe steps are probed.",
    access: "public",
    options: [option("--live", "Probe the public-safe steps and show what came back.")],
    examples: [
      example("The declared flow"),
      example("Probe what can be probed without a key", "--live", [], { id: "demo-show-live" }),
    ],
    async run(cli) {
      const mode = cli.given.flag("live") ? "live" : "declared";
      return flowResult(cli, await cli.client().run("get_demo_flow", { mode }));
    },
  },
  run: {
    summary: "Run all six steps of the demo flow for real.",
    about:
      "Protected steps are handed over to the siblings, so they must be configured; npm start -- --with-suite starts reference siblings beside the service at http://127.0.0.1:8080.",
    examples: [example("Run the flow and see what each sibling confirmed", "", ["siblings"])],
    async run(cli) {
      const envelope = await cli.client().run("run_demo_flow", {});
      const failed = envelope.data.flow.some(({ probeStatus }) => ["fail", "timeout"].includes(probeStatus));
      return { ...flowResult(cli, envelope), ...(failed && { status: 6 }) };
    },
  },
});

function flowResult(cli: Cli, envelope: Envelope<DemoSuite>): Result {
  return listResult(cli, envelope, "flow", {
    "": "order",
    STEP: "title",
    SERVICE: "ownerService",
    STATUS: "status",
    PROBE: "probeStatus",
    RESULT: ({ handoff }) => handoff.resultRef,
    TARGET: ({ method, endpoint }) => `${method} ${endpoint}`,
  });
}
