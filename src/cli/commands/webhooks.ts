import { cursorOption, limitOption, recordId, yesOption } from "../conventions.ts";
import { byId, list, page, record } from "../from-operation.ts";
import { handOver } from "../hand-over.ts";
import { example, argument, group, option } from "../spec.ts";

const DELIVERY_STATES = ["pending", "delivered", "dead"] as const;
const oneWebhook = byId("webhook");
const shown = { record: "webhook", fields: ["id", "url", "types", "state", "createdAt"] } as const;

/** Events sent to addresses. */
export const webhooks = group("webhooks", {
  list: list({
    summary: "Webhooks, newest first.",
    options: [limitOption, cursorOption],
    examples: [example("Which webhooks are sent which events")],
    operation: "list_webhooks",
    input: page,
    rows: "webhooks",
    columns: { ID: "id", STATE: "state", ADDRESS: "url", EVENTS: "types", CREATED: "createdAt" },
  }),
  create: {
    summary: "Send events to an address; the signing secret is shown this once.",
    args: [argument("address", "The http or https URL that receives the events.")],
    options: [
      option("--type <TYPE...>", "An event such as svc.run.failed, or svc.run.*; all when left out."),
      option("--to <FILE>", "A new file with mode 600 for the signing secret, instead of showing it.", {
        kind: "file",
      }),
    ],
    examples: [
      example(
        "Tell a pager about failed runs",
        "https://hooks.example.com/suite --type svc.run.failed --type svc.run.timed_out --to webhook.secret",
      ),
    ],
    run(cli) {
      const types = cli.given.list("type");
      const input = { url: cli.given.argument("address"), types: types.length > 0 ? types : ["*"] };
      const make = () => cli.client().run("create_webhook", input);
      return handOver(cli, "secret", make, ({ webhook }) => webhook);
    },
  },
  pause: record({
    summary: "Stop sending; deliveries are collected.",
    args: [recordId("webhook")],
    examples: [example("Pause the newest webhook", "latest", ["webhook"])],
    operation: "pause_webhook",
    input: oneWebhook,
    ...shown,
  }),
  resume: record({
    summary: "Send what was collected, and go on.",
    args: [recordId("webhook")],
    examples: [example("Resume the newest webhook", "latest", ["webhook"])],
    operation: "resume_webhook",
    input: oneWebhook,
    ...shown,
  }),
  rotate: {
    summary: "Make a new signing secret; both signatures are sent until the next rotation.",
    args: [recordId("webhook")],
    options: [option("--to <FILE>", "A new file with mode 600 for the secret.", { kind: "file" })],
    examples: [example("Rotate the newest webhook's secret", "latest --to webhook-new.secret", ["webhook"])],
    async run(cli) {
      const input = await oneWebhook(cli);
      const make = () => cli.client().run("rotate_webhook", input);
      return handOver(cli, "secret", make, ({ webhook }) => webhook);
    },
  },
  deliveries: list({
    summary: "Deliveries of a webhook, newest first.",
    args: [recordId("webhook")],
    options: [
      option("--status <STATUS>", "Only these.", { choices: DELIVERY_STATES }),
      limitOption,
      cursorOption,
    ],
    examples: [example("The dead letters of the newest webhook", "latest --status dead", ["webhook"])],
    operation: "list_deliveries",
    input: async (cli) => ({
      ...(await oneWebhook(cli)),
      state: cli.given.choice("status", DELIVERY_STATES),
      ...page(cli),
    }),
    rows: "deliveries",
    columns: {
      ID: "id",
      STATE: "state",
      EVENT: "sequence",
      ATTEMPTS: "attempts",
      NEXT: "nextAttemptAt",
      "LAST ERROR": "lastError",
    },
  }),
  redeliver: record({
    summary: "Queue dead letters again: one, or all of the webhook.",
    args: [recordId("webhook"), argument("[delivery]", "The id of a dead letter; all when left out.")],
    examples: [example("Try all dead letters of the newest webhook again", "latest", ["webhook"])],
    operation: "redeliver_dead_letters",
    input: async (cli) => ({
      ...(await oneWebhook(cli)),
      deliveryId: cli.given.optionalArgument("delivery"),
    }),
    fields: ["queued"],
  }),
  remove: record({
    summary: "Remove a webhook and its deliveries.",
    args: [recordId("webhook")],
    options: [yesOption],
    examples: [example("Remove the newest webhook", "latest --yes", ["webhook"])],
    operation: "remove_webhook",
    input: oneWebhook,
    confirm: () => "Remove the webhook and its deliveries?",
    fields: ["removed"],
  }),
});
