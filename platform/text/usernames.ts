/** Usernames are equal in any case: stored, compared and linked trimmed and in lower case (spec 2 §5). */
export const normalizeUsername = (username: string): string => username.trim().toLowerCase();
