import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient } from "../api/queries.ts";
import { rest } from "../api/rpc.ts";
import { bagAt, flagAt, textAt } from "../lib/read.ts";
import { toast } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { Panel } from "../ui/page.tsx";

const NOTIFICATIONS = "/api/svc/account/notifications";
const MODES = [
  ["immediate", "At once", "A mail for each approval that waits for you, and for its reminders."],
  ["digest", "Once a day", "One mail with everything that waits for you."],
  ["off", "Never", "You see what waits on the page Approvals."],
] as const;

/** Which mails about approvals a person gets. */
export function NotificationsPanel({ generation }: { readonly generation: number }) {
  const [problem, setProblem] = useState("");
  const choice = useQuery({
    queryKey: ["own-notifications", generation],
    queryFn: async ({ signal }) => bagAt(await rest(NOTIFICATIONS, { signal }), "data"),
  });
  const choose = (mail: string) => {
    setProblem("");
    void rest(NOTIFICATIONS, { body: { mail }, interactive: false })
      .then(() => toast("good", "Your choice is saved."))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : "It did not work."))
      .finally(() => void queryClient.invalidateQueries({ queryKey: ["own-notifications"] }));
  };
  return (
    <Panel title="Mails about approvals">
      <Load query={choice}>
        {(data) => (
          <>
            {flagAt(data, "isMailConfigured") ? null : (
              <p className="mb-3 text-ink-2">
                This service sends no mails at the moment. Your choice counts as soon as it does.
              </p>
            )}
            <fieldset className="space-y-2">
              <legend className="sr-only">When you get a mail</legend>
              {MODES.map(([mode, label, about]) => (
                <label key={mode} className="flex items-baseline gap-2">
                  <input
                    type="radio"
                    name="mail"
                    value={mode}
                    checked={textAt(data, "mail") === mode}
                    onChange={() => choose(mode)}
                  />
                  <span>
                    {label}
                    <span className="block text-sm text-ink-2">{about}</span>
                  </span>
                </label>
              ))}
            </fieldset>
            {problem === "" ? null : (
              <p role="alert" className="mt-2 text-sm text-bad">
                {problem}
              </p>
            )}
          </>
        )}
      </Load>
    </Panel>
  );
}
