/** What somebody of age types to sign up. */
export const applicationOf = (username: string) => ({
  username,
  email: `${username}@people.example`,
  password: 'a horse of another colour',
  birth_date: '1990-05-05',
  type: 'user' as const,
  accept_terms: true as const,
});
