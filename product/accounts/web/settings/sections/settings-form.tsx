import { Button } from '#platform/ui/controls/button.tsx';
import { useForm, type Form } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useRef, type ReactNode } from 'react';
import { updateSettings } from '../../../client.ts';
import type { SettingsInput } from '../../../contract/settings.ts';
import type { Me } from '../../me.ts';
import { showSettings } from '../live.ts';

/** Props of each section of the settings page. */
export interface SectionProps {
  readonly me: Me;
}

/** Values of a section's fields, by name; a checkbox has true or false. */
type Shown = Readonly<Record<string, string | boolean>>;

interface SettingsFormProps {
  /** The saved values, which the fields start with. */
  readonly shown: Shown;
  /** Builds the input from the fields. */
  readonly read: (fields: FormData) => SettingsInput;
  /** The field for a refusal by the server. */
  readonly refused?: string;
  /** A section's own messages for invalid fields. */
  readonly words?: Readonly<Record<string, string>>;
  readonly children: (form: Form) => ReactNode;
}

/** A section of settings, saved together. A refusal leaves what was typed. */
export function SettingsForm({ shown, read, refused, words, children }: SettingsFormProps) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const form = useForm(updateSettings, {
    shape: async () => (await import('../../../contract/settings.ts')).updateSettings,
    read,
    applied: showSettings,
    words,
    fieldOf: refused === undefined ? {} : { setting_refused: refused },
    onDone: () => {
      toast(t('settings.saved'), 'success');
    },
  });
  useFollow(form, shown);
  return (
    <form {...form.props} className="flex flex-col gap-4">
      {children(form)}
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('settings.save')}</Button>
      </div>
    </form>
  );
}

/** Shows changes made elsewhere in fields that were not edited. */
function useFollow(form: Form, shown: Shown): void {
  const before = useRef(shown);
  const { ref } = form.props;
  useEffect(() => {
    for (const [name, value] of Object.entries(shown)) {
      const field = ref.current?.elements.namedItem(name);
      const known = before.current[name];
      if (field instanceof HTMLInputElement && field.type === 'checkbox') {
        if (field.checked === known) field.checked = value === true;
      } else if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
        if (field.value === known) field.value = String(value);
      }
    }
    before.current = shown;
  }, [ref, shown]);
}

/** The value of a field, where it is one of these. */
export function choiceIn<Value extends string>(
  fields: FormData,
  name: string,
  of: readonly Value[],
): { readonly [Key in string]?: Value } {
  const value = of.find((item) => item === fields.get(name));
  return value === undefined ? {} : { [name]: value };
}

/** A typed whole number; null for an empty field. */
export function numberIn(fields: FormData, name: string): number | null {
  const typed = fields.get(name);
  return typeof typed !== 'string' || typed.trim() === '' ? null : Number(typed);
}
