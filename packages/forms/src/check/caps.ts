/** Problems that are listed at most; a list of this length may go on. */
export const MOST_PROBLEMS = 60;
/** Raw parts that a form lists at most. */
export const MOST_PARTS = 200;
