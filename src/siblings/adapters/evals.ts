import { isJsonObject } from "../../kernel/json.ts";
import type { Adapter } from "../adapter.ts";
import { idOf, partOf, shareOf } from "../confirm.ts";

/** Scores workflows and artifacts against a rubric. */
export const evalsAdapter: Adapter = {
  name: "evals",
  title: "Evals",
  purpose: "Scores a workflow or artifact against a rubric and returns a scorecard.",
  timeoutMs: 10_000,
  handoffPath: "/api/evals/send-handoff",
  proofs: {
    score(result, { resultRef }) {
      const scorecard = partOf(result, "scorecard");
      const id = idOf(scorecard?.["id"], "scorecard");
      if (scorecard === null || id === null || id !== resultRef) {
        return "The reference is not the id of a scorecard in the answer.";
      }
      const score = shareOf(scorecard["score"]);
      const { criteria } = scorecard;
      if (score === null || !Array.isArray(criteria) || criteria.length === 0)
        return "The scorecard has no score.";
      let sum = 0;
      let weights = 0;
      for (const criterion of criteria) {
        if (!isJsonObject(criterion) || typeof criterion["id"] !== "string")
          return "A criterion has no name.";
        const [part, weight] = [shareOf(criterion["score"]), criterion["weight"]];
        if (part === null || typeof weight !== "number" || !(weight > 0)) return "A criterion has no score.";
        sum += part * weight;
        weights += weight;
      }
      return Math.abs(sum / weights - score) > 0.005 ? "The score does not follow from its criteria." : null;
    },
  },
};
