import { LRUCache } from "lru-cache";
import type { JsonObject } from "../kernel/json.ts";
import type { AuditEntryView } from "../model/audit.ts";
import type { AuditEntry } from "../ports/audit.ts";
import type { Records } from "../ports/store.ts";
import { wordsOf } from "./actions.ts";

/** Callers that are no record. */
const FIXED: Readonly<Record<string, readonly [kind: string, name: string]>> = {
  system: ["system", "The service"],
  vault: ["system", "The service"],
  oidc: ["system", "The company's sign-in"],
  operator: ["key", "The operator's key"],
  session: ["key", "The key of this start"],
  anonymous: ["anonymous", "Not signed in"],
};

interface Named {
  readonly kind: string;
  readonly name: string;
}

/** Names for the ids in audit entries, each looked up once. */
export class AuditNames {
  readonly #records: Pick<Records, "people" | "keys" | "tokens" | "runs" | "workflows">;
  /** An export may meet any number of people. */
  readonly #known = new LRUCache<string, Named>({ max: 1_000 });

  constructor(records: Pick<Records, "people" | "keys" | "tokens" | "runs" | "workflows">) {
    this.#records = records;
  }

  /** An entry as it is shown: with the names of today and the action in plain words. */
  async view(entry: AuditEntry): Promise<AuditEntryView> {
    const { id, action, actor, subject, detail, provenanceId, createdAt } = entry;
    const whom = detail["personId"] ?? detail["to"];
    return {
      id,
      time: createdAt,
      actor: { id: actor, ...(await this.named(actor)) },
      action,
      what: wordsOf(action),
      subject: { id: subject, name: await this.#subject(subject, detail) },
      ...(typeof whom === "string" &&
        !subject.endsWith(`/${whom}`) && { whom: (await this.named(whom)).name }),
      detail,
      provenanceId,
    };
  }

  async #subject(subject: string, detail: JsonObject): Promise<string> {
    const [folder, id = ""] = subject.split("/");
    if (subject === "people/unknown") return "an unknown account";
    if (folder === "people" || folder === "runs") return (await this.named(id)).name;
    const name = detail["title"] ?? detail["name"] ?? detail["owner"];
    if (typeof name !== "string" || name === "") return id === "" ? subject : id;
    const { workflowId } = detail;
    if (folder !== "triggers" || typeof workflowId !== "string") return name;
    return `${name} of ${(await this.named(workflowId)).name}`;
  }

  /** Who or what an id stands for; a run is called as its workflow. */
  async named(id: string): Promise<Named> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const named = await this.#lookUp(id);
    this.#known.set(id, named);
    return named;
  }

  async #lookUp(id: string): Promise<Named> {
    const fixed = FIXED[id];
    if (fixed !== undefined) return { kind: fixed[0], name: fixed[1] };
    const { people, keys, tokens, runs, workflows } = this.#records;
    if (id.startsWith("workflow_")) return { kind: "workflow", name: (await workflows.name(id, null)) ?? id };
    const run = id.startsWith("run_") ? await runs.get(id) : null;
    if (run !== null && run.workflowId !== null)
      return {
        kind: "run",
        name: (await workflows.name(run.workflowId, run.workflowVersion)) ?? id,
      };
    const person = await people.get(id);
    if (person !== null) return { kind: "person", name: person.name };
    const named = (await tokens.get(id)) ?? (await keys.get(id));
    return { kind: "key", name: named?.name ?? id };
  }
}
