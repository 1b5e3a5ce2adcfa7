import { useMe } from '../../me.ts';

/**
 * Says to password managers whose password a form takes, so that they offer and save the right one. It has no
 * name, so it is sent nowhere, and nobody sees or reaches it.
 */
export const UsernameOf = ({ username }: { readonly username: string }) => (
  <input type="text" autoComplete="username" value={username} readOnly hidden aria-hidden tabIndex={-1} />
);

/** The same of whoever is logged in. */
export function OwnUsername() {
  const username = useMe()?.user.username;
  return username === undefined ? null : <UsernameOf username={username} />;
}
