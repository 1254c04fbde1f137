import { useFormatter, useLocale, useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { formatMoney } from '../_i18n/money';
import { type FieldProblems, sortFieldProblems } from './sort-field-problems';
import type { FieldProblem, FormProblem } from './use-problem';

const dayMs = 86_400_000;

/**
 * Returns the problems of a rejected form in the page's language; `undefined` if the input was not the reason.
 * `names` are the procedures' field names: keep the list stable between renders. Needs the namespace `ops`.
 */
export function useFieldProblems<Field extends string>(
  problem: FormProblem | undefined,
  names: readonly Field[],
): FieldProblems<Field> | undefined {
  const t = useTranslations('ops.fieldProblem');
  const { number, dateTime } = useFormatter();
  const language = useLocale() === 'zh' ? 'zh' : 'en';

  return useMemo(() => {
    /** Formats a bound in the unit that its field's name ends in. */
    function boundOf(field: string, bound = 0): string {
      if (field.endsWith('Cents')) return formatMoney(bound, language);
      if (field.endsWith('At')) return dateTime(bound, { dateStyle: 'medium' });
      if (!field.endsWith('Ms')) return number(bound);
      const isDays = bound % dayMs === 0;
      return isDays
        ? number(bound / dayMs, { style: 'unit', unit: 'day', unitDisplay: 'long' })
        : number(bound, { style: 'unit', unit: 'millisecond' });
    }
    const words = ({ field, code, least, most, text }: FieldProblem) =>
      // A node of another version may send unknown codes.
      t(t.has(code) ? code : 'invalid', {
        least: boundOf(field, least),
        most: boundOf(field, most),
        text,
      });
    return problem?.kind === 'rejected' ? sortFieldProblems(problem, { names, words }) : undefined;
  }, [problem, names, t, number, dateTime, language]);
}
