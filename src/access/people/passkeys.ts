import { isoTime } from "../../kernel/time.ts";
import { createPublicKey, randomBytes, verify } from "node:crypto";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { digestOf } from "../../kernel/canonical-json.ts";
import { AppError } from "../../kernel/errors.ts";
import { type JsonObject, plainJson } from "../../kernel/json.ts";
import { assertionProblem, challengeFor, standsFor, type AssertionProof } from "../../kernel/webauthn.ts";
import type { PasskeyView } from "../../model/people.ts";
import type { ChallengePurpose, ChallengeRecord, PasskeyRecord, StepUp } from "../../ports/passkeys.ts";
import type { PersonRecord } from "../../ports/people.ts";
import type { Clock, Log } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Store, StoreTx } from "../../ports/store.ts";
import { jwkOfCose, spkiOfCose } from "./cose.ts";
import { relyingParty, type RelyingParty } from "./relying-party.ts";
import { digestOfToken } from "./tokens.ts";
import { assertionIn, challengeIn, registrationIn } from "./webauthn-input.ts";
import { recordChange } from "../../audit/record.ts";

const CHALLENGE_MS = 5 * 60_000;
const MAX_PASSKEYS = 20;
/* ES256, EdDSA and RS256: what authenticators have, and what can be checked offline with node:crypto. */
const ALGORITHMS = [-7, -8, -257];

/** What passkeys work with. */
export interface PasskeyParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly provenance: Provenance;
  readonly baseUrl: string;
}

/** A passkey that was just made in a browser and is not kept yet. */
export type NewPasskey = Omit<PasskeyRecord, "name" | "lastUsedAt">;

/** Makes and checks passkeys. The library is loaded with the first use: most instances never need it. */
export class Passkeys implements StepUp {
  readonly #parts: PasskeyParts;

  constructor(parts: PasskeyParts) {
    this.#parts = parts;
  }

  list(personId: string): Promise<readonly PasskeyRecord[]> {
    return this.#parts.store.read.passkeys.ofPerson(personId);
  }

  /** What the browser needs to make a passkey for a person. */
  async creationOptions(
    purpose: "register" | "join",
    person: Pick<PersonRecord, "id" | "email" | "name">,
  ): Promise<JsonObject> {
    const { rpId } = this.#site();
    const known = await this.list(person.id);
    if (known.length >= MAX_PASSKEYS)
      throw new AppError("conflict", `A person has at most ${MAX_PASSKEYS} passkeys.`);
    const library = await load();
    const options = await library.generateRegistrationOptions({
      rpName: "Workflow-UI",
      rpID: rpId,
      userName: person.email,
      userDisplayName: person.name,
      userID: new TextEncoder().encode(person.id),
      challenge: await this.#challenge(purpose, person.id),
      timeout: CHALLENGE_MS,
      attestationType: "none",
      excludeCredentials: known.map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return plainJson(options);
  }

  /** What the browser needs to sign in with any passkey of this site. */
  async signInOptions(): Promise<JsonObject> {
    const { rpId } = this.#site();
    return requestOptions(rpId, await this.#challenge("sign-in", ""), []);
  }

  /** Checks a passkey that was made; `subject` is the person whom the challenge was made for. */
  async verifyCreation(
    purpose: "register" | "join",
    response: unknown,
  ): Promise<{ readonly subject: string; readonly passkey: NewPasskey }> {
    const parsed = registrationIn(response);
    const challenge = parsed === null ? null : challengeIn(parsed.response.clientDataJSON);
    if (parsed === null || challenge === null) throw notCreated();
    const { subject } = await this.#take(purpose, challenge);
    const info = await this.#registration(parsed, challenge);
    const publicKey = Buffer.from(info.credential.publicKey).toString("base64url");
    // A key that could not be checked offline later is not taken.
    if (jwkOfCose(info.credential.publicKey) === null) throw notCreated();
    return {
      subject,
      passkey: {
        id: info.credential.id,
        personId: subject,
        publicKey,
        counter: info.credential.counter,
        transports: parsed.response.transports ?? [],
        synced: info.credentialDeviceType === "multiDevice",
        createdAt: this.#now(),
      },
    };
  }

  /** Keeps a passkey inside the transaction that the person is made or changed in. */
  async keep(tx: StoreTx, passkey: NewPasskey, name: string, by: string): Promise<PasskeyRecord> {
    const record: PasskeyRecord = { ...passkey, name, lastUsedAt: null };
    if (!(await tx.passkeys.insert(record))) throw new AppError("conflict", "This passkey is known already.");
    await this.#record(tx, record, "added", by);
    return record;
  }

  /** Who signs in with this answer; null for every reason it may not count. The challenge is used up in any case. */
  async verifySignIn(response: unknown): Promise<{ passkey: PasskeyRecord; counter: number } | null> {
    const parsed = assertionIn(response);
    const challenge = parsed === null ? null : challengeIn(parsed.response.clientDataJSON);
    if (parsed === null || challenge === null) return null;
    const taken = await this.#take("sign-in", challenge).catch(() => null);
    const passkey = await this.#parts.store.read.passkeys.get(parsed.id);
    if (taken === null || passkey === null) return null;
    const handle = parsed.response.userHandle;
    if (handle !== undefined && Buffer.from(handle, "base64url").toString() !== passkey.personId) return null;
    const counter = await this.#assertion(parsed, challenge, passkey);
    return counter === null ? null : { passkey, counter };
  }

  async assertionOptions(personId: string, digest: string): Promise<JsonObject> {
    const { rpId } = this.#site();
    const known = await this.list(personId);
    if (known.length === 0) throw noPasskey();
    const challenge = challengeFor(digest, randomBytes(16));
    return requestOptions(rpId, await this.#sent("step-up", personId, challenge), known);
  }

  async verifyAssertion(personId: string, digest: string, response: unknown): Promise<AssertionProof> {
    const { rpId } = this.#site();
    const parsed = assertionIn(response);
    const challenge = parsed === null ? null : challengeIn(parsed.response.clientDataJSON);
    const passkey = parsed === null ? null : await this.#parts.store.read.passkeys.get(parsed.id);
    if (parsed === null || challenge === null || passkey?.personId !== personId) throw notSigned();
    if (!standsFor(challenge, digest)) throw notSigned();
    const { subject } = await this.#take("step-up", challenge);
    if (subject !== personId) throw notSigned();
    const counter = await this.#assertion(parsed, challenge, passkey);
    const publicKey = spkiOfCose(Buffer.from(passkey.publicKey, "base64url"));
    if (counter === null || publicKey === null) throw notSigned();
    const noted = await this.#parts.store.transact((tx) =>
      tx.passkeys.used(passkey.id, counter, this.#now()),
    );
    const { clientDataJSON, authenticatorData, signature } = parsed.response;
    const origin = originIn(clientDataJSON);
    const credentialId = passkey.id;
    const proof = { credentialId, publicKey, rpId, origin, authenticatorData, clientDataJSON, signature };
    // Checked once more as it will be checked later, without the library.
    if (!noted || assertionProblem(proof, digest, isSigned) !== null) throw notSigned();
    return proof;
  }

  async rename(personId: string, id: string, name: string): Promise<PasskeyRecord> {
    return this.#parts.store.transact(async (tx) => {
      const passkey = await this.#own(tx, personId, id);
      await tx.passkeys.rename(id, name);
      return { ...passkey, name };
    });
  }

  /** Removes a passkey, unless the person could not sign in any more. */
  async remove(personId: string, id: string): Promise<void> {
    await this.#parts.store.transact(async (tx) => {
      const passkey = await this.#own(tx, personId, id);
      const person = await tx.people.get(personId);
      const others = (await tx.passkeys.ofPerson(personId)).length - 1;
      if (others === 0 && person?.password === null && !(await tx.people.hasIdentity(personId))) {
        throw new AppError("conflict", "This is the only way you can sign in.", {
          nextAction: "Add another passkey or set a password first.",
        });
      }
      await tx.passkeys.remove(id);
      await this.#record(tx, passkey, "removed", personId);
    });
  }

  /** Removes every passkey of a person who sets a new password, and the recovery codes with them. */
  async removeAll(tx: StoreTx, personId: string): Promise<number> {
    const passkeys = await tx.passkeys.ofPerson(personId);
    for (const passkey of passkeys) {
      await tx.passkeys.remove(passkey.id);
      await this.#record(tx, passkey, "removed", personId);
    }
    await tx.people.setRecoveryCodes(personId, []);
    return passkeys.length;
  }

  async #own(tx: StoreTx, personId: string, id: string): Promise<PasskeyRecord> {
    const passkey = await tx.passkeys.get(id);
    if (passkey?.personId === personId) return passkey;
    throw new AppError("not_found", "There is no passkey with this id among yours.");
  }

  async #registration(response: RegistrationResponseJSON, expectedChallenge: string) {
    const { rpId, origins } = this.#site();
    const library = await load();
    try {
      const verdict = await library.verifyRegistrationResponse({
        response,
        expectedChallenge,
        expectedOrigin: [...origins],
        expectedRPID: rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (verdict.verified) return verdict.registrationInfo;
    } catch (error) {
      this.#parts.log.warn("passkey.refused", {}, error);
    }
    throw notCreated();
  }

  /** The new counter when the signature holds, otherwise null. */
  async #assertion(
    response: NonNullable<ReturnType<typeof assertionIn>>,
    expectedChallenge: string,
    passkey: PasskeyRecord,
  ): Promise<number | null> {
    const { rpId, origins } = this.#site();
    const library = await load();
    try {
      const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: [...origins],
        expectedRPID: rpId,
        requireUserVerification: true,
        credential: {
          id: passkey.id,
          publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
          counter: passkey.counter,
        },
      });
      return verified ? authenticationInfo.newCounter : null;
    } catch (error) {
      this.#parts.log.warn("passkey.refused", {}, error);
      return null;
    }
  }

  #challenge(purpose: ChallengePurpose, subject: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#sent(purpose, subject, new Uint8Array(randomBytes(32)));
  }

  /** Keeps a challenge, so that the answer to it counts once. */
  async #sent(
    purpose: ChallengePurpose,
    subject: string,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { store, clock } = this.#parts;
    const digest = digestOfToken(Buffer.from(bytes).toString("base64url"));
    const expiresAt = isoTime(clock.now() + CHALLENGE_MS);
    await store.transact(async (tx) => {
      await tx.passkeys.trimChallenges(this.#now());
      await tx.passkeys.insertChallenge({ digest, purpose, subject, expiresAt });
    });
    return bytes;
  }

  /** A challenge counts once, whatever becomes of the answer to it. */
  async #take(purpose: ChallengePurpose, challenge: string): Promise<ChallengeRecord> {
    const { store, clock } = this.#parts;
    const digest = digestOfToken(challenge);
    const taken = await store.transact((tx) => tx.passkeys.takeChallenge(digest));
    if (taken?.purpose === purpose && Date.parse(taken.expiresAt) > clock.now()) return taken;
    throw new AppError("invalid_request", "The request for a passkey is over or was answered before.", {
      nextAction: "Start again; an answer counts once and for five minutes.",
    });
  }

  #site(): RelyingParty {
    return relyingParty(this.#parts.baseUrl);
  }

  async #record(tx: StoreTx, passkey: PasskeyRecord, change: "added" | "removed", by: string): Promise<void> {
    const { id, personId, name } = passkey;
    const data: JsonObject = { id, personId, name, by };
    await recordChange(tx, this.#parts.provenance, {
      action: `passkey.${change}`,
      by,
      subject: `people/${personId}`,
      data,
      fact: {
        kind: "passkey",
        subjectId: personId,
        digest: digestOf({ ...data, change, publicKey: passkey.publicKey }),
        privacy: "restricted",
        predicate: { ...data, change },
      },
    });
  }

  #now(): string {
    return isoTime(this.#parts.clock.now());
  }
}

/** A passkey as its owner may see it. */
export function passkeyView({ id, name, synced, createdAt, lastUsedAt }: PasskeyRecord): PasskeyView {
  return { id, name, synced, createdAt, lastUsedAt };
}

const load = () => import("@simplewebauthn/server");

async function requestOptions(
  rpID: string,
  challenge: Uint8Array,
  known: readonly PasskeyRecord[],
): Promise<JsonObject> {
  const library = await load();
  const options = await library.generateAuthenticationOptions({
    rpID,
    challenge: new Uint8Array(challenge),
    timeout: CHALLENGE_MS,
    userVerification: "required",
    allowCredentials: known.map(({ id }) => ({ id })),
  });
  return plainJson(options);
}

/** The check of a signature with Node's crypto. */
function isSigned(publicKey: string, bytes: Uint8Array, signature: string): boolean {
  const spki = Buffer.from(publicKey, "base64");
  const key = createPublicKey({ key: spki, format: "der", type: "spki" });
  const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return verify(algorithm, bytes, key, Buffer.from(signature, "base64"));
}

function originIn(clientDataJSON: string): string {
  const clientData: { origin?: unknown } = JSON.parse(
    Buffer.from(clientDataJSON, "base64url").toString("utf8"),
  );
  return typeof clientData.origin === "string" ? clientData.origin : "";
}

function notCreated(): AppError {
  return new AppError("invalid_input", "The passkey could not be checked.", {
    nextAction: "Start again. The device must verify the person (PIN, fingerprint or face).",
    problems: [{ pointer: "/passkey", message: "is not the answer to our request" }],
  });
}

function notSigned(): AppError {
  return new AppError("forbidden", "The signature is not one of your passkeys over what was shown.", {
    nextAction: "Look at what is shown again and sign it with a passkey of yours.",
  });
}

function noPasskey(): AppError {
  return new AppError("conflict", "You have no passkey.", {
    nextAction: "Add one on the account page, then come back.",
  });
}
