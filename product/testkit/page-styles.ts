/** The variable of the environment that names the file with the {@link DisplayRule}s, for page tests. */
export const PAGE_STYLES = 'CANDELA_PAGE_STYLES';

/** One rule of the pages' styles that hides or shows what its selector matches. */
export interface DisplayRule {
  readonly media: readonly string[];
  readonly selector: string;
  readonly hides: boolean;
  readonly isImportant: boolean;
}
