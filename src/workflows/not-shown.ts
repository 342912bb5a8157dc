/** Stands where a document needs a name that strangers do not see. */
export const NOT_SHOWN = "not-shown";

/** The operation of a step that strangers see. */
export const HIDDEN_OPERATION = `${NOT_SHOWN}:${NOT_SHOWN}`;
