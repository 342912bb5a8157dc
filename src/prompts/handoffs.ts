import type { Prompt } from "../ports/definitions.ts";
import { argument, embedCall, embedResource, taskPrompt } from "./compose.ts";

/** Prompts about handoffs, siblings and events. */
export const handoffsPrompts: readonly Prompt[] = [
  taskPrompt({
    name: "prepare_handoff",
    title: "Prepare a handoff",
    description:
      "Prepares a handoff packet to a service of the suite as a preview, checks that the target can take it, and says what would be sent.",
    arguments: [
      argument(
        "targetService",
        "The service of the suite that should do the work, for example sandbox.",
        true,
      ),
      argument("intent", "What the service of the suite should do.", true),
      argument("artifactId", "The artifact it is about."),
    ],
    ask: "Prepare a handoff to a service of the suite. Preview only.",
    steps: [
      "Check in the status below that the target is configured and was reachable; if not, say so before anything else.",
      "Call `delegate_artifact` without `dryRun: false`: the packet it returns is a preview with status preview_ready and no result reference.",
      "Go through the packet with the person: capability, intent, inputs, auth, trace.",
      "Explain what sending would take (a key, `dryRun: false`) and what would count as confirmed.",
    ],
    answer: [
      "The packet's id and the fields that matter.",
      "What is missing before it can be sent.",
      "A sentence that makes clear that nothing was sent.",
    ],
    embed: async (args, context) => [
      await embedCall(context, "get_integration_status", { slug: args["targetService"] ?? "" }),
      ...(args["artifactId"] === undefined || args["artifactId"] === ""
        ? []
        : [await embedResource(context, `svc://artifact/${args["artifactId"]}`)]),
      await embedResource(context, "svc://delegations"),
    ],
  }),
  taskPrompt({
    name: "follow_up_handoffs",
    title: "Follow up on handoffs",
    description:
      "Goes through handoffs that are not completed, says what each waits for and what to do, without calling any of them done.",
    arguments: [argument("peer", "Only handoffs with this service of the suite.")],
    ask: "Go through the handoffs and say what needs following up.",
    steps: [
      "Sort by state. Accepted means received, not done; only a result reference means done.",
      "For each open one: since when, how many attempts, what the evidence says.",
      "Propose the next action: wait, ask the service of the suite, fix the configuration, or give up.",
    ],
    answer: [
      "A list of open handoffs with the next action for each.",
      "Those that are really completed, with their result reference.",
    ],
    embed: async (args, context) => [
      await embedResource(context, "svc://delegations"),
      await embedResource(context, "svc://integrations"),
    ],
  }),
  taskPrompt({
    name: "check_integration_health",
    title: "Check integration health",
    description:
      "Looks at every service of the suite, tells which work, which are not configured and which fail, and what an operator should do first.",
    arguments: [argument("concern", "What made you look, for example slow exports.")],
    ask: "Check the health of this service's integrations.",
    steps: [
      "Tell apart: not configured (nothing is wrong, nothing works), unknown (never asked), reachable, failing, circuit open.",
      "For each failing one read the last failure and when it was; a last success long ago is a warning.",
      "Name the tools and workflows that answer degraded because of it.",
      "Give the setting to change (its name, never a secret's value).",
    ],
    answer: ["A traffic-light list.", "What to fix first, and why that.", "How to see that it is fixed."],
    embed: async (args, context) => [
      await embedResource(context, "svc://integrations"),
      await embedCall(context, "get_health", {}),
    ],
  }),
  taskPrompt({
    name: "write_webhook_consumer",
    title: "Write a webhook consumer",
    description:
      "Writes a small, correct consumer for this service's webhooks: signature check, replay window, idempotency, quick answer.",
    arguments: [
      argument("language", "Programming language and framework, for example Python with FastAPI.", true),
      argument("events", "The event types it should handle, separated by commas."),
    ],
    ask: "Write a webhook consumer for the events of this service.",
    steps: [
      "Take the payload schemas from the AsyncAPI document whose address is below; handle an unknown type by ignoring it.",
      "Verify the signature over the raw body as Standard Webhooks prescribes (webhook-id, webhook-timestamp, webhook-signature), in constant time, accepting either of two secrets during a rotation.",
      "Refuse timestamps more than five minutes off; remember webhook-id, because delivery is at least once.",
      "Answer 2xx quickly and work afterwards; keep order within a subject.",
      "Write a test with a payload you sign yourself.",
    ],
    answer: [
      "One file of code that runs.",
      "The test.",
      "How to subscribe it, and what to do with dead letters.",
    ],
    embed: async (args, context) => [
      await embedResource(context, "svc://openapi"),
      ...(args["events"] === undefined || args["events"] === ""
        ? []
        : [
            await embedCall(context, "render_webhook_schema_form", {
              eventName: args["events"].split(",", 1)[0]?.trim() ?? "",
            }),
          ]),
    ],
  }),
];
