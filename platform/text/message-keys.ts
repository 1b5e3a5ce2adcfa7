/**
 * The English texts by namespace. `platform/ui` and the product add theirs by declaring this interface, so
 * that a key without a text does not compile.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by its declarations
export interface MessageFiles {}

/** Values for the `{{placeholders}}` of a text; `count` also chooses the plural form. */
export type TextValues = Readonly<Record<string, string | number>>;

export type Namespace = keyof MessageFiles;

/** A key is written without its plural form, which `count` selects. */
type WithoutPlural<Key extends string> = Key extends `${infer Base}_one` | `${infer Base}_other` ? Base : Key;

type PathsOf<Texts, Prefix extends string = ''> = {
  [Key in keyof Texts & (string | number)]: Texts[Key] extends string ? `${Prefix}${WithoutPlural<`${Key}`>}`
    : PathsOf<Texts[Key], `${Prefix}${Key}.`>;
}[keyof Texts & (string | number)];

/** Keys of one namespace, such as `refusals.own_tip`. */
export type KeyOf<Of extends Namespace> = PathsOf<MessageFiles[Of]>;

/** Keys of every namespace, prefixed with its name, such as `tips:refusals.own_tip`. */
export type QualifiedKey = { [Of in Namespace]: `${Of}:${KeyOf<Of>}` }[Namespace];

/** Finds a text on the server for a locale, and fills in `values`. */
export type TextOf = (locale: string, key: QualifiedKey, values?: TextValues) => string;

/** The prefixes of a key before each dot: `web` and `web.buy` for `web.buy.title`. */
type GroupOf<Key extends string> = Key extends `${infer First}.${infer Rest}`
  ? First | `${First}.${GroupOf<Rest>}` :
  never;

/**
 * A key whose last part is data of a server, such as a state that a contract has as a string: the group must
 * exist, the last part is not checked.
 */
export function keyOf<Of extends Namespace, Group extends GroupOf<KeyOf<Of>>>(
  _namespace: Of,
  group: Group,
  name: string,
): Extract<KeyOf<Of>, `${Group}.${string}`> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the function is for
  return [group, name].join('.') as Extract<KeyOf<Of>, `${Group}.${string}`>;
}
