import { Type, type Static } from "typebox";
import { Time, viewOf } from "./common.ts";

/** How a person can get mail about approvals. */
export const MAIL_MODES = ["immediate", "digest", "off"] as const;

/** How a person gets mail about approvals. */
export const NotificationChoice = viewOf("NotificationChoice", "How a person gets mail about approvals.", {
  mail: Type.Enum([...MAIL_MODES]),
  isMailConfigured: Type.Boolean({ description: "Whether the operator configured a mail server." }),
});

/** A webhook that is notified of approvals of a person or a group; never its secret. */
export const NotificationTargetView = viewOf(
  "NotificationTarget",
  "A webhook that is notified of approvals of a person or a group.",
  {
    id: Type.String(),
    owner: Type.String({ description: "person: with an id, or group: with a name." }),
    url: Type.String(),
    createdBy: Type.String(),
    createdAt: Time,
  },
);
export type NotificationTargetView = Static<typeof NotificationTargetView>;
