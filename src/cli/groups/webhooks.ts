import { listResult, object, recordResult, resolveId } from "../answers.ts";
import type { Cli, Handler, Handlers } from "../command.ts";
import { agree } from "../prompt.ts";
import { handOver } from "./keys.ts";

const WEBHOOKS = "/api/svc/webhooks";
const SHOWN = ["id", "url", "types", "state", "createdAt"];

/** Events sent to addresses. */
export const handlers: Handlers = {
  async "webhooks list"(cli) {
    const { given } = cli;
    const query = { limit: given.integer("limit", 1, 100), cursor: given.option("cursor") };
    return listResult(cli, await cli.client().get(WEBHOOKS, query), "webhooks", [
      ["ID", "id"],
      ["STATE", "state"],
      ["ADDRESS", "url"],
      ["EVENTS", "types"],
      ["CREATED", "createdAt"],
    ]);
  },
  async "webhooks create"(cli) {
    const { given } = cli;
    const types = given.list("type");
    const body = { url: given.argument("address"), types: types.length > 0 ? [...types] : ["*"] };
    return handOver(cli, "webhook", "secret", () => cli.client().post(WEBHOOKS, body));
  },
  "webhooks pause": change("pause"),
  "webhooks resume": change("resume"),
  async "webhooks rotate"(cli) {
    const path = await pathOf(cli);
    return handOver(cli, "webhook", "secret", () => cli.client().post(`${path}/rotate`));
  },
  async "webhooks deliveries"(cli) {
    const { given } = cli;
    const query = {
      state: given.option("status"),
      limit: given.integer("limit", 1, 100),
      cursor: given.option("cursor"),
    };
    return listResult(cli, await cli.client().get(`${await pathOf(cli)}/deliveries`, query), "deliveries", [
      ["ID", "id"],
      ["STATE", "state"],
      ["EVENT", "eventId"],
      ["ATTEMPTS", "attempts"],
      ["NEXT", "nextAttemptAt"],
      ["LAST ERROR", "lastError"],
    ]);
  },
  async "webhooks redeliver"(cli) {
    const deliveryId = cli.given.optionalArgument("delivery");
    const body = deliveryId === undefined ? {} : { deliveryId };
    const envelope = await cli.client().post(`${await pathOf(cli)}/redeliver`, body);
    return recordResult(envelope, envelope.data, ["queued"]);
  },
  async "webhooks remove"(cli) {
    const path = await pathOf(cli);
    await agree("Remove the webhook and its deliveries?", cli.given.flag("yes"));
    const envelope = await cli.client().post(`${path}/remove`);
    return recordResult(envelope, envelope.data, ["removed"]);
  },
};

function change(action: "pause" | "resume"): Handler {
  return async (cli) => {
    const envelope = await cli.client().post(`${await pathOf(cli)}/${action}`);
    return recordResult(envelope, object(envelope.data["webhook"]), SHOWN);
  };
}

async function pathOf(cli: Cli): Promise<string> {
  const id = await resolveId(cli, cli.given.argument("id"), "webhook");
  return `${WEBHOOKS}/${encodeURIComponent(id)}`;
}
