/** The variable of the environment that names the file with the pages' compiled styles, for page tests. */
export const PAGE_STYLES = 'CANDELA_PAGE_STYLES';
