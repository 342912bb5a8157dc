import type { Records, StoreTx } from "../../ports/store.ts";
import type { Sql } from "../sql.ts";
import { KeyRecords, PolicyRecords } from "./access.ts";
import { ApprovalRecords } from "./approvals.ts";
import { ArtifactRecords, FormRecords } from "./artifacts.ts";
import { ConnectionRecords } from "./connections.ts";
import { EventRecords, WebhookRecords } from "./events.ts";
import { HandoffRecords, IdempotencyRecords } from "./handoffs.ts";
import { ProvenanceRecords } from "./provenance.ts";
import { RunPages } from "./run-pages.ts";
import { RunRecords } from "./runs.ts";
import { CredentialRecords } from "./vault.ts";
import { TemplateRecords, WorkflowRecords } from "./workflows.ts";

/** All records over one connection. Made for each transaction, so each domain is made only when it is used. */
export class RecordSet implements Records, StoreTx {
  readonly #sql: Sql;
  /** Where entries of a logbook end up: whoever reads there waits for them. */
  readonly #settled: Sql;
  readonly #pages: RunPages;
  #workflows: WorkflowRecords | undefined;
  #runs: RunRecords | undefined;
  #approvals: ApprovalRecords | undefined;
  #templates: TemplateRecords | undefined;
  #artifacts: ArtifactRecords | undefined;
  #forms: FormRecords | undefined;
  #handoffs: HandoffRecords | undefined;
  #provenance: ProvenanceRecords | undefined;
  #keys: KeyRecords | undefined;
  #events: EventRecords | undefined;
  #webhooks: WebhookRecords | undefined;
  #connections: ConnectionRecords | undefined;
  #policies: PolicyRecords | undefined;
  #idempotency: IdempotencyRecords | undefined;
  #credentials: CredentialRecords | undefined;

  constructor(sql: Sql, settled: Sql = sql) {
    this.#sql = sql;
    this.#settled = settled;
    this.#pages = new RunPages(settled);
  }

  /** The pages of runs. */
  get pages(): RunPages {
    return this.#pages;
  }

  now(): Promise<string> {
    return this.#sql.now();
  }

  get workflows(): WorkflowRecords {
    return (this.#workflows ??= new WorkflowRecords(this.#sql));
  }

  get runs(): RunRecords {
    return (this.#runs ??= new RunRecords(this.#settled, this.#pages));
  }

  get approvals(): ApprovalRecords {
    return (this.#approvals ??= new ApprovalRecords(this.#sql));
  }

  get templates(): TemplateRecords {
    return (this.#templates ??= new TemplateRecords(this.#sql));
  }

  get artifacts(): ArtifactRecords {
    return (this.#artifacts ??= new ArtifactRecords(this.#sql));
  }

  get forms(): FormRecords {
    return (this.#forms ??= new FormRecords(this.#sql));
  }

  get handoffs(): HandoffRecords {
    return (this.#handoffs ??= new HandoffRecords(this.#settled));
  }

  get provenance(): ProvenanceRecords {
    return (this.#provenance ??= new ProvenanceRecords(this.#settled, this.#pages));
  }

  get keys(): KeyRecords {
    return (this.#keys ??= new KeyRecords(this.#sql));
  }

  get events(): EventRecords {
    return (this.#events ??= new EventRecords(this.#settled, this.#pages));
  }

  get webhooks(): WebhookRecords {
    return (this.#webhooks ??= new WebhookRecords(this.#sql));
  }

  get connections(): ConnectionRecords {
    return (this.#connections ??= new ConnectionRecords(this.#sql));
  }

  get policies(): PolicyRecords {
    return (this.#policies ??= new PolicyRecords(this.#sql));
  }

  get idempotency(): IdempotencyRecords {
    return (this.#idempotency ??= new IdempotencyRecords(this.#sql));
  }

  get credentials(): CredentialRecords {
    return (this.#credentials ??= new CredentialRecords(this.#sql));
  }
}
