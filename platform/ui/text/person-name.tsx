import { Typed } from './typed.tsx';
import { useTranslation } from './use-translation.ts';

interface PersonNameProps {
  readonly name: string;
  /** Whether the server says so; absent means no. */
  readonly isStaff: boolean | undefined;
}

/** A name with the badge of staff in front, so that a long name does not cut the badge off. */
export function PersonName({ name, isStaff }: PersonNameProps) {
  return (
    <>
      {isStaff ? <StaffBadge /> : null}
      <Typed>{name}</Typed>
    </>
  );
}

/** A word with a background of its own, which nobody can imitate by typing into a name. */
export function StaffBadge() {
  const { t } = useTranslation();
  return (
    <span
      data-staff
      className="mr-[0.4em] inline-block shrink-0 rounded-control bg-blue px-[0.4em]
      text-[0.8em] font-bold text-ink not-italic"
    >
      {t('staff')}
    </span>
  );
}
