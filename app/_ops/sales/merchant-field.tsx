import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { SelectField, TextField } from '../../_components/ui/field';
import { useLanguage } from '../../_i18n/language';
import { useTRPC } from '../../_trpc/client';
import type { OpsMerchant, OpsMerchantPage } from '../types';

interface Props {
  /** The first page of all merchants. */
  first: OpsMerchantPage;
  /** The selected merchant before the first change. */
  selected: OpsMerchant | undefined;
  onChange(id: string): void;
}

/** Selects a merchant. In a shop with more merchants than a page has, a search finds the others. */
export function MerchantField({ first, selected: initial, onChange }: Props) {
  const t = useTranslations('opsSales.form');
  const language = useLanguage();
  const trpc = useTRPC();
  const [selected, setSelected] = useState(initial);
  const [typed, setTyped] = useState('');
  const q = typed.trim();
  const { data = first } = useQuery({
    ...trpc.ops.merchants.queryOptions({ q }, { trpc: { abortOnUnmount: true } }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const found = (q === '' ? first : data).merchants;
  const isFound = found.some(({ id }) => id === selected?.id);
  const options = selected && !isFound ? [selected, ...found] : found;
  return (
    <>
      {first.nextCursor && (
        <TextField
          type="search"
          label={t('findMerchant')}
          value={typed}
          maxLength={64}
          onChange={(event) => setTyped(event.target.value)}
          // Enter would send the form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      <SelectField
        label={t('merchantId')}
        value={selected?.id ?? ''}
        options={options.map(({ id, name }) => ({ value: id, label: name[language] }))}
        onChange={(id) => {
          setSelected(options.find((one) => one.id === id));
          onChange(id);
        }}
      />
    </>
  );
}
