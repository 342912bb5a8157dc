import { useMutation } from "@tanstack/react-query";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Panel } from "../../ui/page.tsx";
import { ErrorText } from "../../ui/error-text.tsx";

const MODES = [
  ["immediate", "At once", "A mail for each approval that waits for you, and for its reminders."],
  ["digest", "Once a day", "One mail with everything that waits for you."],
  ["off", "Never", "You see what waits on the page Approvals."],
] as const;

/** Which mails about approvals a person gets. */
export function NotificationsPanel() {
  const choice = useOperation("get_notifications", {});
  const { mutate: choose, error } = useMutation({
    mutationFn: (mail: (typeof MODES)[number][0]) =>
      call("set_notifications", { mail }, { interactive: false }),
    onSuccess: () => toast("good", "Your choice is saved."),
    onSettled: () => refreshOperation("get_notifications"),
  });
  return (
    <Panel title="Mails about approvals">
      <Load query={choice}>
        {({ mail, isMailConfigured }) => (
          <>
            {isMailConfigured ? null : (
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
                    checked={mail === mode}
                    onChange={() => choose(mode)}
                  />
                  <span>
                    {label}
                    <span className="block text-sm text-ink-2">{about}</span>
                  </span>
                </label>
              ))}
            </fieldset>
            <ErrorText text={error?.message} className="mt-2 text-sm text-bad" />
          </>
        )}
      </Load>
    </Panel>
  );
}
