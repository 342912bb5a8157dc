import type { Clock } from "../../ports/platform.ts";
import type { Records, StoreTx } from "../../ports/store.ts";
import type { Sql } from "../sql.ts";
import { GuardRecords, KeyRecords, PolicyRecords } from "./access.ts";
import { ApprovalRecords } from "./approvals.ts";
import { ArtifactRecords, FormRecords } from "./artifacts.ts";
import { AuditRecords } from "./audit.ts";
import { ConnectionRecords } from "./connections.ts";
import { EventRecords, WebhookRecords } from "./events.ts";
import { GroupRecords } from "./groups.ts";
import { HandoffRecords, IdempotencyRecords } from "./handoffs.ts";
import { OAuthRecords } from "./oauth.ts";
import { PasskeyRecords } from "./passkeys.ts";
import { NotificationRecords } from "./notifications.ts";
import { PeopleRecords } from "./people.ts";
import { ProvenanceRecords } from "./provenance.ts";
import { RetentionRecords } from "./retention.ts";
import { RunRecords } from "./runs.ts";
import { SignalRecords } from "./signals.ts";
import { TokenRecords } from "./tokens.ts";
import { TriggerRecords } from "./triggers.ts";
import { CredentialRecords } from "./vault.ts";
import { WorkerRecords } from "./workers.ts";
import { TemplateRecords, WorkflowRecords } from "./workflows.ts";

/** All records over one connection. Made for each transaction, so each domain is made only when it is used. */
export class RecordSet implements Records, StoreTx {
  readonly #sql: Sql;
  readonly #clock: Clock;
  #workflows: WorkflowRecords | undefined;
  #runs: RunRecords | undefined;
  #workers: WorkerRecords | undefined;
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
  #guard: GuardRecords | undefined;
  #toolsets: PolicyRecords | undefined;
  #idempotency: IdempotencyRecords | undefined;
  #credentials: CredentialRecords | undefined;
  #people: PeopleRecords | undefined;
  #notifications: NotificationRecords | undefined;
  #groups: GroupRecords | undefined;
  #tokens: TokenRecords | undefined;
  #oauth: OAuthRecords | undefined;
  #passkeys: PasskeyRecords | undefined;
  #audit: AuditRecords | undefined;
  #retention: RetentionRecords | undefined;
  #triggers: TriggerRecords | undefined;
  #signals: SignalRecords | undefined;

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  get numbersAtOnce(): boolean {
    return this.#sql.dialect === "sqlite";
  }

  /** The newest sequence of the events that were numbered through these records; 0 when none was. */
  get lastEvent(): number {
    return this.#events?.written ?? 0;
  }

  /** True when events or provenance records were appended. */
  get appended(): boolean {
    return this.#events?.appended === true || this.#provenance?.appended === true;
  }

  now(): Promise<string> {
    return this.#sql.now();
  }

  get notifications(): NotificationRecords {
    return (this.#notifications ??= new NotificationRecords(this.#sql));
  }

  get workflows(): WorkflowRecords {
    return (this.#workflows ??= new WorkflowRecords(this.#sql));
  }

  get runs(): RunRecords {
    return (this.#runs ??= new RunRecords(this.#sql));
  }

  get workers(): WorkerRecords {
    return (this.#workers ??= new WorkerRecords(this.#sql));
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
    return (this.#handoffs ??= new HandoffRecords(this.#sql));
  }

  get provenance(): ProvenanceRecords {
    return (this.#provenance ??= new ProvenanceRecords(this.#sql));
  }

  get keys(): KeyRecords {
    return (this.#keys ??= new KeyRecords(this.#sql));
  }

  get events(): EventRecords {
    return (this.#events ??= new EventRecords(this.#sql, this.#clock));
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

  get toolsets(): PolicyRecords {
    return (this.#toolsets ??= new PolicyRecords(this.#sql, "toolset_revisions"));
  }

  get guard(): GuardRecords {
    return (this.#guard ??= new GuardRecords(this.#sql));
  }

  get idempotency(): IdempotencyRecords {
    return (this.#idempotency ??= new IdempotencyRecords(this.#sql));
  }

  get credentials(): CredentialRecords {
    return (this.#credentials ??= new CredentialRecords(this.#sql));
  }

  get people(): PeopleRecords {
    return (this.#people ??= new PeopleRecords(this.#sql));
  }

  get groups(): GroupRecords {
    return (this.#groups ??= new GroupRecords(this.#sql));
  }

  get tokens(): TokenRecords {
    return (this.#tokens ??= new TokenRecords(this.#sql));
  }

  get oauth(): OAuthRecords {
    return (this.#oauth ??= new OAuthRecords(this.#sql));
  }

  get passkeys(): PasskeyRecords {
    return (this.#passkeys ??= new PasskeyRecords(this.#sql));
  }

  get retention(): RetentionRecords {
    return (this.#retention ??= new RetentionRecords(this.#sql));
  }

  get triggers(): TriggerRecords {
    return (this.#triggers ??= new TriggerRecords(this.#sql));
  }

  get signals(): SignalRecords {
    return (this.#signals ??= new SignalRecords(this.#sql));
  }

  get audit(): AuditRecords {
    return (this.#audit ??= new AuditRecords(this.#sql, this.#clock));
  }
}
