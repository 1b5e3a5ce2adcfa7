import { TextField, type TextFieldProps } from '#platform/ui/controls/fields.tsx';

/** A code of an authenticator app, or a recovery code. */
export function CodeField(props: TextFieldProps) {
  return (
    <TextField
      required
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={32}
      {...props}
    />
  );
}
