import { object, objects, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import type { Envelope } from "../../kernel/envelope.ts";
import type { Result } from "../output.ts";

/** The six-step demo flow. */
export const handlers: Handlers = {
  "demo show": async (cli) =>
    flowResult(
      await cli.client().get("/api/svc/demo-suite", { mode: cli.given.flag("live") ? "live" : "declared" }),
    ),
  "demo run": run,
};

async function run(cli: Cli): Promise<Result> {
  const envelope = await cli.client().post("/api/svc/demo-suite/run");
  const result = flowResult(envelope);
  const failed = objects(envelope.data["flow"]).some((step) =>
    ["fail", "timeout"].includes(text(step["probeStatus"])),
  );
  return failed ? { ...result, status: 6 } : result;
}

function flowResult(envelope: Envelope): Result {
  const steps = objects(envelope.data["flow"]);
  return {
    envelope,
    ids: steps.map((step) => text(step["id"])),
    view: [
      {
        kind: "table",
        columns: ["", "STEP", "SERVICE", "STATUS", "PROBE", "RESULT", "TARGET"],
        rows: steps.map((step) => [
          typeof step["order"] === "number" ? step["order"] : null,
          text(step["title"]),
          text(step["ownerService"]),
          text(step["status"]),
          text(step["probeStatus"]),
          text(object(step["handoff"])["resultRef"]),
          `${text(step["method"])} ${text(step["endpoint"])}`,
        ]),
      },
    ],
  };
}
