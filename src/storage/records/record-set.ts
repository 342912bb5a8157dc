import type { Clock } from "../../ports/platform.ts";
import type { Records, StoreTx } from "../../ports/store.ts";
import type { Sql } from "../sql.ts";
import { guardRecords, keyRecords, policyRecords } from "./access.ts";
import { approvalRecords } from "./approvals.ts";
import { artifactRecords, formRecords } from "./artifacts.ts";
import { auditRecords } from "./audit.ts";
import { connectionRecords } from "./connections.ts";
import { eventRecords, webhookRecords } from "./events.ts";
import { groupRecords } from "./groups.ts";
import { handoffRecords, idempotencyRecords } from "./handoffs.ts";
import { oauthRecords } from "./oauth.ts";
import type { Written } from "./statements.ts";
import { passkeyRecords } from "./passkeys.ts";
import { notificationRecords } from "./notifications.ts";
import { peopleRecords } from "./people.ts";
import { provenanceRecords } from "./provenance.ts";
import { retentionRecords } from "./retention.ts";
import { runRecords } from "./runs.ts";
import { signalRecords } from "./signals.ts";
import { tokenRecords } from "./tokens.ts";
import { triggerRecords } from "./triggers.ts";
import { credentialRecords } from "./vault.ts";
import { workerRecords } from "./workers.ts";
import { templateRecords, workflowRecords } from "./workflows.ts";

/** All records over one connection. Made for each transaction, so each domain is made only when it is used. */
export class RecordSet implements StoreTx {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #made: { -readonly [N in keyof Records]?: Records[N] } = {};
  readonly written: Written = { lastEvent: 0, appended: false };

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  get numbersAtOnce(): boolean {
    return this.#sql.dialect === "sqlite";
  }

  now(): Promise<string> {
    return this.#sql.now();
  }

  get notifications(): Records["notifications"] {
    return (this.#made.notifications ??= notificationRecords(this.#sql));
  }

  get workflows(): Records["workflows"] {
    return (this.#made.workflows ??= workflowRecords(this.#sql));
  }

  get runs(): Records["runs"] {
    return (this.#made.runs ??= runRecords(this.#sql));
  }

  get workers(): Records["workers"] {
    return (this.#made.workers ??= workerRecords(this.#sql));
  }

  get approvals(): Records["approvals"] {
    return (this.#made.approvals ??= approvalRecords(this.#sql));
  }

  get templates(): Records["templates"] {
    return (this.#made.templates ??= templateRecords(this.#sql));
  }

  get artifacts(): Records["artifacts"] {
    return (this.#made.artifacts ??= artifactRecords(this.#sql));
  }

  get forms(): Records["forms"] {
    return (this.#made.forms ??= formRecords(this.#sql));
  }

  get handoffs(): Records["handoffs"] {
    return (this.#made.handoffs ??= handoffRecords(this.#sql));
  }

  get provenance(): Records["provenance"] {
    return (this.#made.provenance ??= provenanceRecords(this.#sql, this.written));
  }

  get keys(): Records["keys"] {
    return (this.#made.keys ??= keyRecords(this.#sql));
  }

  get events(): Records["events"] {
    return (this.#made.events ??= eventRecords(this.#sql, this.#clock, this.written));
  }

  get webhooks(): Records["webhooks"] {
    return (this.#made.webhooks ??= webhookRecords(this.#sql));
  }

  get connections(): Records["connections"] {
    return (this.#made.connections ??= connectionRecords(this.#sql));
  }

  get policies(): Records["policies"] {
    return (this.#made.policies ??= policyRecords(this.#sql));
  }

  get toolsets(): Records["toolsets"] {
    return (this.#made.toolsets ??= policyRecords(this.#sql, "toolset_revisions"));
  }

  get guard(): Records["guard"] {
    return (this.#made.guard ??= guardRecords(this.#sql));
  }

  get idempotency(): Records["idempotency"] {
    return (this.#made.idempotency ??= idempotencyRecords(this.#sql));
  }

  get credentials(): Records["credentials"] {
    return (this.#made.credentials ??= credentialRecords(this.#sql));
  }

  get people(): Records["people"] {
    return (this.#made.people ??= peopleRecords(this.#sql));
  }

  get groups(): Records["groups"] {
    return (this.#made.groups ??= groupRecords(this.#sql));
  }

  get tokens(): Records["tokens"] {
    return (this.#made.tokens ??= tokenRecords(this.#sql));
  }

  get oauth(): Records["oauth"] {
    return (this.#made.oauth ??= oauthRecords(this.#sql));
  }

  get passkeys(): Records["passkeys"] {
    return (this.#made.passkeys ??= passkeyRecords(this.#sql));
  }

  get retention(): Records["retention"] {
    return (this.#made.retention ??= retentionRecords(this.#sql));
  }

  get triggers(): Records["triggers"] {
    return (this.#made.triggers ??= triggerRecords(this.#sql));
  }

  get signals(): Records["signals"] {
    return (this.#made.signals ??= signalRecords(this.#sql));
  }

  get audit(): Records["audit"] {
    return (this.#made.audit ??= auditRecords(this.#sql, this.#clock));
  }
}
