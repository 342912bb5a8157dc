import { OperationError } from "@workflow-ui/client";

/** What was refused, and every problem with its fix. */
export function Problems({ of: error }: { readonly of: Error | null }) {
  if (error === null) return null;
  const { problems, nextAction } =
    error instanceof OperationError ? error : { problems: [], nextAction: null };
  return (
    <div role="alert" className="text-sm text-bad">
      <p>{error.message}</p>
      {problems.length > 1 ? (
        <ul className="mt-1 list-disc pl-5">
          {problems.map((problem) => (
            <li key={problem.pointer + problem.message}>
              {problem.message} {problem.fix ?? ""}
            </li>
          ))}
        </ul>
      ) : null}
      {nextAction === null ? null : <p className="text-ink-2">{nextAction}</p>}
    </div>
  );
}
