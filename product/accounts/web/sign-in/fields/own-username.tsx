import { useMe } from '../../me.ts';

/**
 * Shows password managers whose password a form takes, so that they offer and save the right one. Without a
 * name the field is not sent; it is hidden and not focusable.
 */
export const UsernameOf = ({ username }: { readonly username: string }) => (
  <input type="text" autoComplete="username" value={username} readOnly hidden aria-hidden tabIndex={-1} />
);

/** The same for the logged-in person. */
export function OwnUsername() {
  const username = useMe()?.user.username;
  return username === undefined ? null : <UsernameOf username={username} />;
}
