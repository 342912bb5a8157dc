import { Type } from "typebox";
import { inputOf } from "../model/common.ts";
import { SigningKeyView } from "../model/provenance.ts";
import { operationsWith } from "../ports/operations.ts";

const { operation, declared } = operationsWith<unknown>();

operation({
  name: "rotate_signing_key",
  title: "Rotate the signing key",
  description: "Makes a new signing key and retires the present one; what that one signed stays valid.",
  http: "POST /api/svc/provenance/rotate",
  access: "admin",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({}),
  output: Type.Object({ key: SigningKeyView }),
  run: async (_input, { services, caller }) => ({ key: await services.provenance.rotateKey(caller.id) }),
});

/** What an operator does with the provenance log that no tool does. */
export const provenanceOperations = declared;
