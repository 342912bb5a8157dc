// Generated from the operations by `npm run generate`. Do not edit.

/** Any value that JSON text can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object whose members its owner chose. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** A right that a key or a role holds. */
export type Scope = "admin" | "run" | "approve" | "handoff" | "read-private" | "write";

/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/** Who a request comes from, and what it may do. */
export interface Me {
  readonly kind: "anonymous" | "key" | "person" | "token" | "oauth" | "system";
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

/** Who decides approvals while a person is out of office. */
export interface Absence {
  readonly absence: {
    readonly substitute: {
      readonly id: string;
      readonly name: string;
    };
    /** A time, as ISO 8601. */
    readonly from: string;
    /** A time, as ISO 8601. */
    readonly until: string;
    readonly isNow: boolean;
  } | null;
  readonly substituteFor: readonly {
    readonly id: string;
    readonly name: string;
    /** A time, as ISO 8601. */
    readonly until: string;
  }[];
}

/** How a person gets mail about approvals. */
export interface NotificationChoice {
  readonly mail: "immediate" | "digest" | "off";
  /** Whether the operator configured a mail server. */
  readonly isMailConfigured: boolean;
}

/** A webhook that is notified of approvals of a person or a group. */
export interface NotificationTarget {
  readonly id: string;
  /** person: with an id, or group: with a name. */
  readonly owner: string;
  readonly url: string;
  readonly createdBy: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
}

/** Who did what when. */
export interface AuditEntry {
  readonly id: string;
  /** A time, as ISO 8601. */
  readonly time: string;
  readonly actor: {
    readonly id: string;
    readonly kind: string;
    readonly name: string;
  };
  readonly action: string;
  /** The action in plain words. */
  readonly what: string;
  readonly subject: {
    readonly id: string;
    readonly name: string;
  };
  /** What the action was about. */
  readonly detail: JsonObject;
  readonly provenanceId: string | null;
}

/** An address that gets events. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** Types of events; * stands for any. */
  readonly types: readonly string[];
  readonly state: "active" | "paused";
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** How many secrets sign a message: two during a rotation. */
  readonly signedWith: number;
}

/** One delivery of one event to one webhook. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  /** The number of the event. */
  readonly sequence: number;
  readonly subject: string;
  readonly state: "pending" | "delivered" | "dead";
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly lastError: string | null;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly deliveredAt: string | null;
}

/** Where a handoff stands. */
export type HandoffState =
  | "preview_ready"
  | "ready"
  | "sending"
  | "accepted"
  | "completed"
  | "degraded"
  | "rejected";

/** A handoff: where it stands and what was confirmed. */
export interface Handoff {
  readonly schemaVersion: string;
  readonly id: string;
  readonly direction: "in" | "out";
  /** The sibling that it came from or goes to. */
  readonly peer: string;
  readonly capability: string;
  /** What the packet asks for, as its sender wrote it. */
  readonly intent: Json;
  /** Where a handoff stands. */
  readonly status: HandoffState;
  readonly dryRun: boolean;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly resultRef: string | null;
  readonly outputArtifactIds: readonly string[];
  readonly confirmation: {
    readonly required: boolean;
    readonly received: boolean;
    readonly source: string | null;
  };
  readonly evidence: JsonObject | null;
  readonly runId: string | null;
  readonly packetDigest: string;
  readonly statusUrl: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
}

/** A handoff with its packet. */
export interface HandoffDetail {
  readonly schemaVersion: string;
  readonly id: string;
  readonly direction: "in" | "out";
  /** The sibling that it came from or goes to. */
  readonly peer: string;
  readonly capability: string;
  /** What the packet asks for, as its sender wrote it. */
  readonly intent: Json;
  /** Where a handoff stands. */
  readonly status: HandoffState;
  readonly dryRun: boolean;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly resultRef: string | null;
  readonly outputArtifactIds: readonly string[];
  readonly confirmation: {
    readonly required: boolean;
    readonly received: boolean;
    readonly source: string | null;
  };
  readonly evidence: JsonObject | null;
  readonly runId: string | null;
  readonly packetDigest: string;
  readonly statusUrl: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  readonly packet: JsonObject;
}

/** What each operation takes and answers. */
export interface Operations {
  /** List API keys */
  readonly list_keys: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly keys: readonly ApiKey[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Who am I */
  readonly get_me: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** Who a request comes from, and what it may do. */
      readonly me: Me;
    };
  };
  /** Create an API key */
  readonly create_key: {
    readonly input: {
      /** What the key is for. */
      readonly name: string;
      /** What the key may do. */
      readonly scopes: readonly Scope[];
      /** When it stops working, as ISO 8601; never when it is left out. */
      readonly expiresAt?: string | null | undefined;
    };
    readonly output: {
      /** An API key without its secret. */
      readonly key: ApiKey;
      /** The key itself; it is shown this once. */
      readonly token: string;
    };
  };
  /** Rotate an API key */
  readonly rotate_key: {
    readonly input: {
      /** The id of the key, as list_keys shows it. */
      readonly id: string;
      /** How long the old key still works; one day when not given. */
      readonly graceSeconds?: number | undefined;
    };
    readonly output: {
      /** An API key without its secret. */
      readonly key: ApiKey;
      /** The key itself; it is shown this once. */
      readonly token: string;
      readonly replaces: string;
    };
  };
  /** Revoke an API key */
  readonly revoke_key: {
    readonly input: {
      /** The id of the key, as list_keys shows it. */
      readonly id: string;
    };
    readonly output: {
      /** An API key without its secret. */
      readonly key: ApiKey;
    };
  };
  /** Show my absence */
  readonly get_absence: {
    readonly input: { readonly [name: string]: never };
    readonly output: Absence;
  };
  /** Set my absence */
  readonly set_absence: {
    readonly input: {
      /** The id or e-mail address of a person whose role holds approve. */
      readonly substitute: string;
      /** When the absence begins. */
      readonly from: string;
      /** When it ends, 366 days later at most. */
      readonly until: string;
    };
    readonly output: Absence;
  };
  /** End my absence */
  readonly end_absence: {
    readonly input: { readonly [name: string]: never };
    readonly output: Absence;
  };
  /** Show my notifications */
  readonly get_notifications: {
    readonly input: { readonly [name: string]: never };
    readonly output: NotificationChoice;
  };
  /** Choose my notifications */
  readonly set_notifications: {
    readonly input: {
      /** At once, once a day, or not at all. */
      readonly mail: "immediate" | "digest" | "off";
    };
    readonly output: NotificationChoice;
  };
  /** List notification targets */
  readonly list_notification_targets: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly targets: readonly NotificationTarget[];
    };
  };
  /** Add a notification target */
  readonly add_notification_target: {
    readonly input: {
      /** person: with an id or e-mail address, or group: with the name of a group. */
      readonly owner: string;
      /** An http or https address without a user name. */
      readonly url: string;
    };
    readonly output: {
      /** A webhook that is notified of approvals of a person or a group. */
      readonly target: NotificationTarget;
      readonly secret: string;
    };
  };
  /** Remove a notification target */
  readonly remove_notification_target: {
    readonly input: {
      readonly id: string;
    };
    readonly output: {
      readonly removed: string;
    };
  };
  /** Ask whether mails should stop */
  readonly show_unsubscribe: {
    readonly input: {
      /** What the link of a mail ends with. */
      readonly token: string;
    };
    readonly output: string;
  };
  /** Stop mails about approvals */
  readonly stop_mails: {
    readonly input: {
      /** What the link of a mail ends with. */
      readonly token: string;
    };
    readonly output: string;
  };
  /** List the audit entries */
  readonly list_audit: {
    readonly input: {
      /** The id or the e-mail address of who did it. */
      readonly actor?: string | undefined;
      /** One that list_audit_actions names, or a kind such as person.*. */
      readonly action?: string | undefined;
      /** What it was done to, such as people/person_…. */
      readonly subject?: string | undefined;
      /** From when on: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly from?: string | undefined;
      /** Until when: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly to?: string | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly entries: readonly AuditEntry[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** List the audited actions */
  readonly list_audit_actions: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly actions: readonly {
        readonly name: string;
        readonly what: string;
      }[];
      readonly kinds: readonly string[];
    };
  };
  /** Export the audit entries */
  readonly export_audit: {
    readonly input: {
      /** The id or the e-mail address of who did it. */
      readonly actor?: string | undefined;
      /** One that list_audit_actions names, or a kind such as person.*. */
      readonly action?: string | undefined;
      /** What it was done to, such as people/person_…. */
      readonly subject?: string | undefined;
      /** From when on: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly from?: string | undefined;
      /** Until when: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly to?: string | undefined;
    };
    readonly output: string;
  };
  /** Stream the events */
  readonly stream_events: {
    readonly input: {
      /** Types of events, separated by commas; * stands for any. */
      readonly types?: string | undefined;
      /** Only events of this subject. */
      readonly subject?: string | undefined;
      /** The number of the last event that was seen. */
      readonly after?: string | undefined;
    };
    readonly output: string;
  };
  /** List webhooks */
  readonly list_webhooks: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly webhooks: readonly Webhook[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Create a webhook */
  readonly create_webhook: {
    readonly input: {
      /** Where the events are sent. */
      readonly url: string;
      /** Types of events; * stands for any. All when left out. */
      readonly types?: readonly string[] | undefined;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
      /** The signing secret; it is shown this once. */
      readonly secret: string;
    };
  };
  /** Show a webhook */
  readonly get_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
    };
  };
  /** Pause a webhook */
  readonly pause_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
    };
  };
  /** Resume a webhook */
  readonly resume_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
    };
  };
  /** Rotate a webhook's secret */
  readonly rotate_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
      /** The signing secret; it is shown this once. */
      readonly secret: string;
    };
  };
  /** Remove a webhook */
  readonly remove_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      readonly removed: string;
    };
  };
  /** List deliveries of a webhook */
  readonly list_deliveries: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
      readonly state?: "pending" | "delivered" | "dead" | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly deliveries: readonly Delivery[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Send dead letters again */
  readonly redeliver_dead_letters: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
      /** One delivery; all dead ones when left out. */
      readonly deliveryId?: string | undefined;
    };
    readonly output: {
      readonly queued: number;
    };
  };
  /** List handoffs */
  readonly list_handoffs: {
    readonly input: {
      /** Received or sent. */
      readonly direction?: "in" | "out" | undefined;
      /** Where a handoff stands. */
      readonly state?: HandoffState | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly handoffs: readonly Handoff[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Show a handoff */
  readonly get_handoff: {
    readonly input: {
      /** The id of the packet. */
      readonly id: string;
      /** Received or sent. */
      readonly direction?: "in" | "out" | undefined;
    };
    readonly output: HandoffDetail;
  };
  /** Run a workflow from a handoff */
  readonly run_handoff: {
    readonly input: {
      /** The id of the packet. */
      readonly id: string;
      /** The workflow to run. */
      readonly workflowId: string;
      /** The inputs of the run; those of the packet when left out. */
      readonly inputs?: JsonObject | null | undefined;
    };
    readonly output: {
      /** A handoff: where it stands and what was confirmed. */
      readonly handoff: Handoff;
      readonly run: {
        readonly id: string;
        readonly status: string;
        readonly workflowId: string | null;
      };
    };
  };
}

/** Method and path of each operation; behind `?` the members of a body that travel in the query. */
export const ROUTES: Readonly<Record<keyof Operations, string>> = {
  list_keys: "GET /api/svc/keys",
  get_me: "GET /api/svc/me",
  create_key: "POST /api/svc/keys",
  rotate_key: "POST /api/svc/keys/{id}/rotate",
  revoke_key: "POST /api/svc/keys/{id}/revoke",
  get_absence: "GET /api/svc/account/absence",
  set_absence: "POST /api/svc/account/absence",
  end_absence: "DELETE /api/svc/account/absence",
  get_notifications: "GET /api/svc/account/notifications",
  set_notifications: "POST /api/svc/account/notifications",
  list_notification_targets: "GET /api/svc/notification-targets",
  add_notification_target: "POST /api/svc/notification-targets",
  remove_notification_target: "DELETE /api/svc/notification-targets/{id}",
  show_unsubscribe: "GET /api/svc/unsubscribe/{token}",
  stop_mails: "POST /api/svc/unsubscribe/{token}",
  list_audit: "GET /api/svc/audit",
  list_audit_actions: "GET /api/svc/audit/actions",
  export_audit: "GET /api/svc/audit/export",
  stream_events: "GET /api/svc/events",
  list_webhooks: "GET /api/svc/webhooks",
  create_webhook: "POST /api/svc/webhooks",
  get_webhook: "GET /api/svc/webhooks/{id}",
  pause_webhook: "POST /api/svc/webhooks/{id}/pause",
  resume_webhook: "POST /api/svc/webhooks/{id}/resume",
  rotate_webhook: "POST /api/svc/webhooks/{id}/rotate",
  remove_webhook: "POST /api/svc/webhooks/{id}/remove",
  list_deliveries: "GET /api/svc/webhooks/{id}/deliveries",
  redeliver_dead_letters: "POST /api/svc/webhooks/{id}/redeliver",
  list_handoffs: "GET /api/svc/handoffs",
  get_handoff: "GET /api/svc/handoffs/{id}",
  run_handoff: "POST /api/svc/handoffs/{id}/run",
};
