/** Accounts that one account switches to (spec 1 §9). */
export const MAX_LINKED_ACCOUNTS = 3;
