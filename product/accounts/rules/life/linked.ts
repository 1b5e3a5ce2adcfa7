/** How many accounts one account can switch to (spec 1 §9). */
export const MAX_LINKED_ACCOUNTS = 3;
