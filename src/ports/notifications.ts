import type { MAIL_MODES } from "../model/notifications.ts";
export { MAIL_MODES } from "../model/notifications.ts";

/** How a person gets mail. */
type MailMode = (typeof MAIL_MODES)[number];

/** What became of a notification: `dropped` when it was not needed any more. */
export const NOTIFICATION_STATES = ["pending", "sent", "dropped", "dead"] as const;
/** What became of a notification. */
type NotificationState = (typeof NOTIFICATION_STATES)[number];

/** What a person has chosen. The token stands in the link of a mail and can do nothing but end mails. */
export interface NotificationSettings {
  readonly personId: string;
  readonly mail: MailMode;
  readonly unsubscribeToken: string;
}

/** An address that is notified of approvals of a person or a group. */
export interface NotificationTarget {
  readonly id: string;
  /** `person:` with an id or `group:` with a name in lower case. */
  readonly owner: string;
  readonly url: string;
  readonly secret: string;
  readonly createdBy: string;
  readonly createdAt: string;
}

/** One message to one recipient, written before it is sent. */
export interface NotificationRecord {
  readonly id: string;
  /** The event that it tells of. */
  readonly sequence: number;
  readonly kind: string;
  readonly approvalId: string;
  readonly channel: "email" | "webhook";
  /** The id of the person or of the target. */
  readonly recipient: string;
  readonly state: NotificationState;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly sentAt: string | null;
}

/** What people are notified of, and how. */
export interface NotificationStore {
  settings(personId: string): Promise<NotificationSettings | null>;
  putSettings(record: NotificationSettings): Promise<void>;
  byToken(unsubscribeToken: string): Promise<NotificationSettings | null>;
  insertTarget(record: NotificationTarget): Promise<void>;
  /** All targets, or those of some owners. */
  targets(owners?: readonly string[]): Promise<readonly NotificationTarget[]>;
  target(id: string): Promise<NotificationTarget | null>;
  removeTarget(id: string): Promise<boolean>;
  /** Writes a notification; one for the same event and recipient stays as it is. */
  add(record: NotificationRecord): Promise<void>;
  /** When the next digest of a person is sent; null when none waits. */
  nextDigestAt(personId: string, after: string): Promise<string | null>;
  /** True when something is due. */
  isDue(now: string): Promise<boolean>;
  /** Takes due notifications for one attempt and hides them from other replicas until `leaseUntil`. */
  claim(now: string, leaseUntil: string, limit: number): Promise<readonly NotificationRecord[]>;
  settle(record: NotificationRecord): Promise<void>;
  ofApproval(approvalId: string): Promise<readonly NotificationRecord[]>;
  /** Forgets what was sent or dropped before a time. */
  trim(before: string): Promise<number>;
  /** How far the outbox was turned into notifications. */
  cursor(): Promise<number>;
  setCursor(sequence: number): Promise<void>;
}
