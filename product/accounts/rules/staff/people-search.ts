/** Accounts on one page of search results. */
export const PEOPLE_PAGE = 20;
export const MAX_PEOPLE_QUERY = 254;
/** An id, or at least two characters: a single one would match most names. */
export const PEOPLE_QUERY = /^(?:\d+|.{2,})$/su;

/** Shorter than the largest integer that a JavaScript number holds exactly; no site has as many people. */
const ID = /^\d{1,15}$/u;

/** What to search accounts for. */
export interface PeopleQuery {
  /** As typed: databases differ in the letters whose case they can fold. */
  readonly typed: string;
  /** Lower case. */
  readonly text: string;
  /** The query as an id, where it could be one. */
  readonly id: number | null;
  readonly isEmail: boolean;
}

/** Reads what was typed: an id, a part of an address, or a part of a name. */
export function peopleQueryOf(typed: string): PeopleQuery {
  const name = typed.trim().replace(/^@/u, '');
  const text = name.toLowerCase();
  return { typed: name, text, id: ID.test(text) ? Number(text) : null, isEmail: text.includes('@') };
}

/** The LIKE pattern that finds a text anywhere, with its special characters escaped. */
export const likeAnywhere = (text: string): string => `%${text.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
