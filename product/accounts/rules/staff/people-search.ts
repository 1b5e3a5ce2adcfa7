/** Accounts that a look-up lists at once. */
export const PEOPLE_PAGE = 20;
export const MAX_PEOPLE_QUERY = 254;
/** An id, or at least two characters: of one, most names would be a match. */
export const PEOPLE_QUERY = /^(?:\d+|.{2,})$/su;

/** The largest id that a JavaScript number holds exactly has more digits; no site has as many people. */
const ID = /^\d{1,15}$/u;

/** What somebody looks accounts up by. */
export interface PeopleQuery {
  /** As typed: databases differ in which letters they know the other case of. */
  readonly typed: string;
  /** Lower case. */
  readonly text: string;
  /** Where it may be an id. */
  readonly id: number | null;
  readonly isEmail: boolean;
}

/** Reads what was typed: an id, a part of an address, or a part of a name. */
export function peopleQueryOf(typed: string): PeopleQuery {
  const name = typed.trim().replace(/^@/u, '');
  const text = name.toLowerCase();
  return { typed: name, text, id: ID.test(text) ? Number(text) : null, isEmail: text.includes('@') };
}

/** The pattern of LIKE that finds a text anywhere: what has a meaning there stands for itself. */
export const likeAnywhere = (text: string): string => `%${text.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
