import type { AssertionProof } from "../kernel/webauthn.ts";
import type { JsonObject } from "../kernel/json.ts";

/** What a challenge was made for; an answer to one does not count for another. */
export const CHALLENGE_PURPOSES = ["register", "join", "sign-in", "step-up"] as const;

/** What a challenge is for. */
export type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number];

/** A passkey of a person. */
export interface PasskeyRecord {
  /** The credential's id, base64url. */
  readonly id: string;
  readonly personId: string;
  readonly name: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** Grows with each use on authenticators that count; 0 on those that do not. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** Kept by a provider on several devices. */
  readonly synced: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** A challenge that was sent and not answered yet. */
export interface ChallengeRecord {
  readonly digest: string;
  readonly purpose: ChallengePurpose;
  /** The person who is to answer; empty where that is found out by the answer. */
  readonly subject: string;
  readonly expiresAt: string;
}

/** Passkeys and their challenges. */
export interface PasskeyStore {
  /** False when the credential is known already. */
  insert(record: PasskeyRecord): Promise<boolean>;
  get(id: string): Promise<PasskeyRecord | null>;
  /** The passkeys of a person, oldest first. */
  ofPerson(personId: string): Promise<readonly PasskeyRecord[]>;
  rename(id: string, name: string): Promise<boolean>;
  remove(id: string): Promise<boolean>;
  /** Notes a use; false when the counter did not grow on a passkey that counts. */
  used(id: string, counter: number, at: string): Promise<boolean>;
  insertChallenge(record: ChallengeRecord): Promise<void>;
  /** Gives a challenge and removes it: a second call with the same digest gets null. */
  takeChallenge(digest: string): Promise<ChallengeRecord | null>;
  trimChallenges(now: string): Promise<number>;
}

/** Lets a person sign what they were shown with a passkey. */
export interface StepUp {
  /** What the browser needs to ask for a signature over a digest `sha256:…`; the answer counts once, for five minutes. */
  assertionOptions(personId: string, digest: string): Promise<JsonObject>;
  /** Checks the browser's answer; throws when it does not sign this digest with a passkey of this person. */
  verifyAssertion(personId: string, digest: string, response: unknown): Promise<AssertionProof>;
}
