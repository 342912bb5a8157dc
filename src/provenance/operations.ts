import { Type } from "typebox";
import { AppError } from "../kernel/errors.ts";
import { inputOf } from "../model/common.ts";
import { GrowthView, SigningKeyView } from "../model/provenance.ts";
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

operation({
  name: "prove_log_growth",
  title: "Prove that the log only grew",
  description:
    "The signed checkpoint of a size, the newest one, and the hashes that show that the older log is the beginning of the present one. Every proof and receipt names the size of its checkpoint.",
  http: "GET /api/svc/provenance/checkpoints/{treeSize}",
  access: "public",
  effect: "none",
  input: inputOf({
    treeSize: Type.String({
      pattern: "^[1-9][0-9]{0,14}$",
      description: "In digits: the number of entries that the checkpoint covers.",
      examples: ["12"],
    }),
  }),
  output: Type.Object({ growth: GrowthView }),
  async run({ treeSize }, { services }) {
    const growth = await services.provenance.growthSince(Number(treeSize));
    if (growth !== null) return { growth };
    throw new AppError("not_found", `The log has no checkpoint of ${treeSize} entries.`, {
      nextAction: "Take the treeSize of a checkpoint from a proof or a receipt.",
    });
  },
});

/** What an operator does with the provenance log that no tool does. */
export const provenanceOperations = declared;
