import format from 'use-intl/format-message/format-only';
import { formatCount } from './format-count';

/**
 * The formatter of messages in the browser, which next.config.mjs gives to next-intl. It formats whole numbers without
 * `Intl`, and everything else like the original. Messages have no number styles.
 */
export default function formatMessage(
  ...[key, message, values, options]: Parameters<typeof format>
): ReturnType<typeof format> {
  const { formatters } = options;
  const getNumberFormat = (language: string) => ({
    format: (value: number) =>
      Number.isInteger(value) ? formatCount(value) : formatters.getNumberFormat(language).format(value),
  });
  // Of a number format, the formatter of messages calls `format` only.
  const ours = { ...formatters, getNumberFormat } as typeof formatters;
  return format(key, message, values, { ...options, formatters: ours });
}
