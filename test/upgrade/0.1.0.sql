-- A database of Floodgate 0.1.0 with data, for the test that upgrades it (server/upgrade.integration.test.ts).
--
-- Two nodes of commit 47aff27 on Postgres 15 wrote every row, called over HTTP: sign-ins with and without a code,
-- coupons that operators made, changed and closed, changed and reset limits, orders of every status, payments of every
-- status, and a gate that was lost and rebuilt. In the last second Redis was killed, then both nodes: one payment is
-- pending, and one cancelled order is not restocked yet (gate_owed).
--
-- pg_dump --no-owner --no-privileges --column-inserts --rows-per-insert=50, without its settings and comments.
-- Taken at 1795325940024 (epoch ms).

CREATE SCHEMA drizzle;

CREATE TYPE public.coupon_kind AS ENUM (
    'seckill',
    'claim'
);

CREATE TYPE public.limit_mode AS ENUM (
    'enforce',
    'shadow',
    'off'
);

CREATE TYPE public.order_status AS ENUM (
    'confirmed',
    'paid',
    'cancelled',
    'expired'
);

CREATE TYPE public.payment_status AS ENUM (
    'pending',
    'approved',
    'declined',
    'refund-due',
    'refunded'
);

CREATE TYPE public.user_role AS ENUM (
    'shopper',
    'admin'
);

CREATE TABLE drizzle.__drizzle_migrations (
    id integer NOT NULL,
    hash text NOT NULL,
    created_at bigint
);

CREATE SEQUENCE drizzle.__drizzle_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE drizzle.__drizzle_migrations_id_seq OWNED BY drizzle.__drizzle_migrations.id;

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    changed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    who text NOT NULL,
    what text NOT NULL,
    target text NOT NULL,
    before jsonb NOT NULL,
    after jsonb NOT NULL,
    why text
);

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.coupons (
    id text NOT NULL,
    merchant_id text NOT NULL,
    kind public.coupon_kind NOT NULL,
    title jsonb NOT NULL,
    face_value_cents integer NOT NULL,
    price_cents integer NOT NULL,
    stock integer,
    sold integer DEFAULT 0 NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    generation integer DEFAULT 0 NOT NULL,
    gate_claimed_at timestamp(3) with time zone,
    sold_out_at timestamp(3) with time zone,
    round integer DEFAULT 1 NOT NULL,
    series text,
    next_round_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    hold_ms integer DEFAULT 900000 NOT NULL,
    gate_sequence bigint DEFAULT 0 NOT NULL,
    CONSTRAINT coupons_hold CHECK ((hold_ms > 0)),
    CONSTRAINT coupons_period CHECK ((starts_at < ends_at)),
    CONSTRAINT coupons_prices CHECK (((face_value_cents > 0) AND (price_cents >= 0))),
    CONSTRAINT coupons_sold_within_stock CHECK (((sold >= 0) AND ((stock IS NULL) OR (sold <= stock)))),
    CONSTRAINT coupons_stock_by_kind CHECK (((kind = 'seckill'::public.coupon_kind) = (stock IS NOT NULL)))
);

CREATE TABLE public.limit_overrides (
    policy text NOT NULL,
    level text NOT NULL,
    "limit" integer,
    window_ms bigint,
    mode public.limit_mode,
    version integer NOT NULL,
    who text NOT NULL,
    why text,
    changed_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.merchants (
    id text NOT NULL,
    name jsonb NOT NULL,
    category jsonb NOT NULL,
    address jsonb NOT NULL,
    about jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.order_requests (
    user_id text NOT NULL,
    procedure text NOT NULL,
    request_id text NOT NULL,
    order_id text NOT NULL,
    payment_id text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.orders (
    id text NOT NULL,
    coupon_id text NOT NULL,
    user_id text NOT NULL,
    status public.order_status NOT NULL,
    one_per_shopper boolean NOT NULL,
    code text NOT NULL,
    request_id text,
    created_at timestamp(3) with time zone NOT NULL,
    confirmed_at timestamp(3) with time zone,
    hold_until timestamp(3) with time zone,
    gate_owed integer
);

CREATE TABLE public.payments (
    id text NOT NULL,
    order_id text NOT NULL,
    amount_cents integer NOT NULL,
    method text NOT NULL,
    status public.payment_status DEFAULT 'pending'::public.payment_status NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ask_again_at timestamp(3) with time zone NOT NULL,
    settled_at timestamp(3) with time zone
);

CREATE TABLE public.shared_secrets (
    name text NOT NULL,
    value text NOT NULL
);

CREATE TABLE public.sign_in_codes (
    request_hash text NOT NULL,
    code_hash text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.users (
    id text NOT NULL,
    name text NOT NULL,
    email text,
    role public.user_role DEFAULT 'shopper'::public.user_role NOT NULL,
    is_demo boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY drizzle.__drizzle_migrations ALTER COLUMN id SET DEFAULT nextval('drizzle.__drizzle_migrations_id_seq'::regclass);

INSERT INTO drizzle.__drizzle_migrations (id, hash, created_at) VALUES
	(1, 'd9c9146b514d035e8ad32b3712acd1c635027419804dc362397b25015025b125', 1795224599098),
	(2, '7ea26e36f2c9ed9b93417a4407866a1f198e32ef81f390c468809f16bbc9fd1c', 1795227848349),
	(3, '9ee304b516a28c372c5aa19ee93b52f0a58c38471410a63058831f22fa4be48f', 1795237148871),
	(4, '7d74083fca2d7ee3db03a76e01ae4bf980fce6f454791092f177b4e319f71947', 1795239530886),
	(5, 'ffe5d327aff941b7669c4dbb6db9353f17f40690a416b3ef02e82ad483b683c2', 1795239576919),
	(6, '573cf9c79203c99f518f8d5eae22c0f1b64dd59fd6f001f15a0fb7193c58cbd7', 1795239665328),
	(7, '67ccb37116daefec0288a3ed3b3e8e9c95fa3a9d075c4ae7f9b541e2de31c14b', 1795248816959);

INSERT INTO public.audit_log (id, changed_at, who, what, target, before, after, why) OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-22 05:23:36.095+00', '3491aacd-3642-485f-b77c-689495a030a2', 'coupon.create', 'c2372510-f73f-473b-9200-ddf60c873031', '{}', '{"kind": "seckill", "stock": 3, "title": {"en": "Three late tables", "zh": "最后三桌"}, "endsAt": 1797917016090, "revision": 0, "startsAt": 1795325016090, "merchantId": "ember-hotpot", "priceCents": 100, "faceValueCents": 9000}', NULL),
	(2, '2026-11-22 05:23:36.119+00', '3491aacd-3642-485f-b77c-689495a030a2', 'coupon.create', 'a706b1b1-5557-4d7a-88c6-306636956f72', '{}', '{"kind": "claim", "stock": null, "title": {"en": "Closed early", "zh": "提前结束"}, "endsAt": 1795411416090, "revision": 0, "startsAt": 1795325016090, "merchantId": "tidewater-sushi", "priceCents": 0, "faceValueCents": 500}', NULL),
	(3, '2026-11-22 05:23:36.135+00', '3491aacd-3642-485f-b77c-689495a030a2', 'coupon.update', 'c2372510-f73f-473b-9200-ddf60c873031', '{"kind": "seckill", "stock": 3, "title": {"en": "Three late tables", "zh": "最后三桌"}, "endsAt": 1797917016090, "revision": 0, "startsAt": 1795325016090, "merchantId": "ember-hotpot", "priceCents": 100, "faceValueCents": 9000}', '{"kind": "seckill", "stock": 4, "title": {"en": "Three late tables", "zh": "最后三桌"}, "endsAt": 1797917016090, "revision": 1, "startsAt": 1795325016090, "merchantId": "ember-hotpot", "priceCents": 100, "faceValueCents": 9000}', NULL),
	(4, '2026-11-22 05:23:36.152+00', '3491aacd-3642-485f-b77c-689495a030a2', 'coupon.close', 'a706b1b1-5557-4d7a-88c6-306636956f72', '{"kind": "claim", "stock": null, "title": {"en": "Closed early", "zh": "提前结束"}, "endsAt": 1795411416090, "revision": 0, "startsAt": 1795325016090, "merchantId": "tidewater-sushi", "priceCents": 0, "faceValueCents": 500}', '{"kind": "claim", "stock": null, "title": {"en": "Closed early", "zh": "提前结束"}, "endsAt": 1795325016151, "revision": 1, "startsAt": 1795325016090, "merchantId": "tidewater-sushi", "priceCents": 0, "faceValueCents": 500}', NULL),
	(5, '2026-11-22 05:23:36.161+00', '7c69d746-eacf-4e70-befc-d6035b6e87c4', 'limit.update', 'coupon.claim:user', '{"version": 0}', '{"limit": 30, "version": 1}', 'a calm evening'),
	(6, '2026-11-22 05:23:36.171+00', '7c69d746-eacf-4e70-befc-d6035b6e87c4', 'limit.update', 'merchant:ip', '{"version": 0}', '{"limit": 50, "version": 1, "windowMs": 2000}', NULL),
	(7, '2026-11-22 05:23:36.182+00', '7c69d746-eacf-4e70-befc-d6035b6e87c4', 'limit.update', 'coupon.seckill:global', '{"version": 0}', '{"mode": "shadow", "version": 1}', 'to look at it'),
	(8, '2026-11-22 05:23:36.19+00', '7c69d746-eacf-4e70-befc-d6035b6e87c4', 'limit.reset', 'coupon.seckill:global', '{"mode": "shadow", "version": 1}', '{"version": 2}', NULL),
	(9, '2026-11-22 05:23:50.307+00', '7c69d746-eacf-4e70-befc-d6035b6e87c4', 'refund.markSent', '5bb81d91-9d2b-447f-95b7-7b856b827af8', '{"status": "refund-due", "orderId": "09b2979b-c16c-42fb-8427-87ced40d9bb7", "amountCents": 450}', '{"status": "refunded", "orderId": "09b2979b-c16c-42fb-8427-87ced40d9bb7", "amountCents": 450}', 'bank transfer 1');

INSERT INTO public.coupons (id, merchant_id, kind, title, face_value_cents, price_cents, stock, sold, starts_at, ends_at, generation, gate_claimed_at, sold_out_at, round, series, next_round_at, created_at, revision, hold_ms, gate_sequence) VALUES
	('any-bowl', 'long-bench-noodles', 'claim', '{"en": "Off any bowl of hand-pulled noodles", "zh": "手工拉面任选一碗立减"}', 300, 0, NULL, 12, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.477+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('c2372510-f73f-473b-9200-ddf60c873031-r2', 'ember-hotpot', 'seckill', '{"en": "Three late tables", "zh": "最后三桌"}', 9000, 100, 4, 0, '2026-11-22 05:24:08.443+00', '2026-12-22 05:24:08.443+00', 1, '2026-11-22 05:24:08.453+00', NULL, 2, 'c2372510-f73f-473b-9200-ddf60c873031', NULL, '2026-11-22 05:24:08.446+00', 0, 900000, 0),
	('a706b1b1-5557-4d7a-88c6-306636956f72', 'tidewater-sushi', 'claim', '{"en": "Closed early", "zh": "提前结束"}', 500, 0, NULL, 0, '2026-11-22 05:23:36.09+00', '2026-11-22 05:23:36.151+00', 1, '2026-11-22 05:23:36.123+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:36.119+00', 1, 900000, 0),
	('extra-broth', 'ember-hotpot', 'claim', '{"en": "A second broth in your hotpot", "zh": "火锅加一种汤底，鸳鸯随心"}', 680, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.458+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('bean-of-the-week-r1', 'slow-crane-coffee', 'seckill', '{"en": "Bean of the week, 250 g, freshly roasted", "zh": "本周咖啡豆 250 克，现烘"}', 1600, 450, 10000, 6, '2026-11-22 05:22:34.008+00', '2026-11-29 05:22:34.008+00', 2, '2026-11-22 05:23:50.43+00', NULL, 1, 'bean-of-the-week', NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 5),
	('spring-service', 'pedal-works', 'claim', '{"en": "Brakes and gears set right", "zh": "刹车变速精调"}', 1900, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.462+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('second-hand-shelf', 'margin-notes-books', 'claim', '{"en": "Off the second-hand shelves", "zh": "旧书专架立减"}', 800, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.407+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('miso-at-noon', 'tidewater-sushi', 'claim', '{"en": "A bowl of miso with your lunch", "zh": "午市赠味噌汤一碗"}', 450, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.465+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('c2372510-f73f-473b-9200-ddf60c873031', 'ember-hotpot', 'seckill', '{"en": "Three late tables", "zh": "最后三桌"}', 9000, 100, 4, 0, '2026-11-22 05:23:36.09+00', '2026-12-22 05:23:36.09+00', 2, '2026-11-22 05:23:50.48+00', NULL, 1, NULL, '2026-11-22 05:24:08.443+00', '2026-11-22 05:23:36.095+00', 1, 900000, 0),
	('sesame-bun-box-r1', 'black-sesame-bakery', 'seckill', '{"en": "Box of six sesame buns, on the house", "zh": "黑芝麻餐包六枚装，店家请客"}', 1250, 0, 300, 0, '2026-11-21 05:23:29.008+00', '2026-11-22 05:23:29.008+00', 0, NULL, NULL, 1, 'sesame-bun-box', '2026-11-22 05:23:59.387+00', '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('late-show-pair-r1', 'lantern-row-cinema', 'seckill', '{"en": "Two seats for any late show", "zh": "夜场电影双人票"}', 3200, 600, 150, 0, '2026-11-22 05:25:34.008+00', '2026-11-25 05:25:34.008+00', 2, '2026-11-22 05:23:50.413+00', NULL, 1, 'late-show-pair', NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('sesame-bun-box-r2', 'black-sesame-bakery', 'seckill', '{"en": "Box of six sesame buns, on the house", "zh": "黑芝麻餐包六枚装，店家请客"}', 1250, 0, 300, 0, '2026-11-22 05:23:59.387+00', '2026-11-23 05:23:59.387+00', 1, '2026-11-22 05:23:59.417+00', NULL, 2, 'sesame-bun-box', NULL, '2026-11-22 05:23:59.394+00', 0, 900000, 0),
	('popcorn', 'lantern-row-cinema', 'claim', '{"en": "Large popcorn with any ticket", "zh": "凭任意影票兑大桶爆米花"}', 550, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.469+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('seasonal-bunch', 'moss-and-stem', 'claim', '{"en": "Off a bunch of the season", "zh": "当季花束立减"}', 1000, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.417+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('first-bowl', 'quiet-kiln', 'claim', '{"en": "Off your first evening at the wheel", "zh": "初次拉坯体验立减"}', 2000, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.471+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('shoes-on-us', 'nine-pin-alley', 'claim', '{"en": "Shoe hire for an evening", "zh": "整晚球鞋租借"}', 400, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.435+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('morning-cup', 'slow-crane-coffee', 'claim', '{"en": "Filter coffee before ten", "zh": "十点前手冲咖啡一杯"}', 420, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.474+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('bring-a-friend', 'chalk-and-rope', 'claim', '{"en": "First climb for a friend you bring", "zh": "带朋友来，首爬立减"}', 1500, 0, NULL, 0, '2026-11-21 05:23:34.008+00', '2027-11-22 05:23:34.008+00', 2, '2026-11-22 05:23:50.44+00', NULL, 1, NULL, NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 0),
	('hotpot-50-r1', 'ember-hotpot', 'seckill', '{"en": "Charcoal hotpot dinner for two", "zh": "炭火铜锅双人晚餐"}', 5000, 990, 100, 1, '2026-11-22 05:22:34.008+00', '2026-11-25 05:22:34.008+00', 2, '2026-11-22 05:23:50.444+00', NULL, 1, 'hotpot-50', NULL, '2026-11-22 05:23:34.009+00', 0, 900000, 4);

INSERT INTO public.limit_overrides (policy, level, "limit", window_ms, mode, version, who, why, changed_at) VALUES
	('coupon.claim', 'user', 30, NULL, NULL, 1, '7c69d746-eacf-4e70-befc-d6035b6e87c4', 'a calm evening', '2026-11-22 05:23:36.161+00'),
	('merchant', 'ip', 50, 2000, NULL, 1, '7c69d746-eacf-4e70-befc-d6035b6e87c4', NULL, '2026-11-22 05:23:36.171+00'),
	('coupon.seckill', 'global', NULL, NULL, NULL, 2, '7c69d746-eacf-4e70-befc-d6035b6e87c4', NULL, '2026-11-22 05:23:36.19+00');

INSERT INTO public.merchants (id, name, category, address, about, created_at) VALUES
	('black-sesame-bakery', '{"en": "Black Sesame Bakery", "zh": "黑芝麻烘焙坊"}', '{"en": "Bakery", "zh": "面包甜点"}', '{"en": "3 Mill Lane, Old Harbour", "zh": "旧港磨坊巷 3 号"}', '{"en": "Twelve loaves an hour, and a queue for the sesame buns since seven in the morning.", "zh": "每炉只烤十二个面包，招牌黑芝麻餐包早上七点就有人排队。"}', '2026-11-22 05:23:34.009+00'),
	('chalk-and-rope', '{"en": "Chalk & Rope Climbing", "zh": "白垩攀岩馆"}', '{"en": "Sport", "zh": "运动健身"}', '{"en": "88 Foundry Road, Northgate", "zh": "北门铸造路 88 号"}', '{"en": "Fourteen metres of wall in a former foundry. New routes every Thursday, and tea at the bottom.", "zh": "老铸造厂改建的十四米岩壁，每周四换新线路，爬完下来有热茶。"}', '2026-11-22 05:23:34.009+00'),
	('ember-hotpot', '{"en": "Ember & Stone Hotpot", "zh": "炭石老火锅"}', '{"en": "Restaurant", "zh": "火锅"}', '{"en": "21 Ferry Street, Old Harbour", "zh": "旧港渡口街 21 号"}', '{"en": "Copper pots over charcoal, broth simmered overnight, and a spice level they ask you about twice.", "zh": "铜锅炭火，牛骨汤底熬足一整夜，辣度下单前会再问您一遍。"}', '2026-11-22 05:23:34.009+00'),
	('lantern-row-cinema', '{"en": "Lantern Row Cinema", "zh": "灯影里影院"}', '{"en": "Cinema", "zh": "电影演出"}', '{"en": "5 Lantern Row, Theatre Quarter", "zh": "剧院区灯影里 5 号"}', '{"en": "Three screens, velvet seats and no advertisements. Late shows end in time for the last tram.", "zh": "三个影厅，丝绒座椅，映前没有广告；夜场散场正好赶上末班电车。"}', '2026-11-22 05:23:34.009+00'),
	('long-bench-noodles', '{"en": "Long Bench Noodle House", "zh": "长凳面馆"}', '{"en": "Restaurant", "zh": "面馆小吃"}', '{"en": "9 Canal Steps, Old Harbour", "zh": "旧港运河台阶 9 号"}', '{"en": "One table, eleven metres long. Noodles are pulled when you sit down and served before you settle.", "zh": "店里只有一张十一米的长桌，坐下才拉面，没等您坐稳就端上来了。"}', '2026-11-22 05:23:34.009+00'),
	('margin-notes-books', '{"en": "Margin Notes Books", "zh": "眉批书店"}', '{"en": "Bookshop", "zh": "书店文创"}', '{"en": "14 Scholar Hill, University", "zh": "大学城书山路 14 号"}', '{"en": "New and second-hand. The best annotations of former owners hang framed above the till.", "zh": "新书旧书都卖，前主人写得最妙的批注被装进相框，挂在收银台上方。"}', '2026-11-22 05:23:34.009+00'),
	('moss-and-stem', '{"en": "Moss & Stem Florist", "zh": "苔枝花店"}', '{"en": "Flowers", "zh": "鲜花绿植"}', '{"en": "2 Glasshouse Walk, Botanic Park", "zh": "植物园温室步道 2 号"}', '{"en": "Cut the same morning, wrapped in yesterday’s newspaper, with a note on how to keep them alive.", "zh": "当天清晨剪枝，用旧报纸包好，附一张手写的养护小卡。"}', '2026-11-22 05:23:34.009+00'),
	('nine-pin-alley', '{"en": "Nine Pin Alley", "zh": "九瓶保龄球馆"}', '{"en": "Leisure", "zh": "休闲娱乐"}', '{"en": "40 Station Square, Northgate", "zh": "北门站前广场 40 号"}', '{"en": "Eight lanes and a jukebox that has not been updated since 1994, on purpose.", "zh": "八条球道，一台点唱机，歌单故意停在 1994 年。"}', '2026-11-22 05:23:34.009+00'),
	('pedal-works', '{"en": "Pedal Works", "zh": "脚踏车工坊"}', '{"en": "Repair", "zh": "维修养护"}', '{"en": "17 Viaduct Arches, Northgate", "zh": "北门高架桥洞 17 号"}', '{"en": "Bicycles in by nine are out by six. They show you the worn part, so that you believe them.", "zh": "早上九点前送来，傍晚六点就能骑走；换下的旧零件会拿给您看，明明白白。"}', '2026-11-22 05:23:34.009+00'),
	('quiet-kiln', '{"en": "Quiet Kiln Pottery", "zh": "静窑陶艺"}', '{"en": "Workshop", "zh": "手作体验"}', '{"en": "6 Brickfield Yard, Riverside", "zh": "河畔砖场院 6 号"}', '{"en": "Two hours, one wheel each, telephones in a drawer. Collect your bowl a fortnight later.", "zh": "两个小时，一人一台拉坯机，手机锁进抽屉，半个月后来取自己的碗。"}', '2026-11-22 05:23:34.009+00'),
	('slow-crane-coffee', '{"en": "Slow Crane Coffee Roasters", "zh": "慢鹤咖啡"}', '{"en": "Coffee", "zh": "咖啡"}', '{"en": "31 Ropewalk, Riverside", "zh": "河畔制绳街 31 号"}', '{"en": "A small roaster by the window turns from Tuesday to Saturday. Ask for the bean of the week.", "zh": "周二到周六，窗边的小烘豆机都在转，记得问一声本周豆子。"}', '2026-11-22 05:23:34.009+00'),
	('tidewater-sushi', '{"en": "Tidewater Sushi", "zh": "潮见寿司"}', '{"en": "Restaurant", "zh": "日本料理"}', '{"en": "1 Fish Quay, Old Harbour", "zh": "旧港鱼市码头 1 号"}', '{"en": "Nine seats and no menu: the boats decide. Closed when the sea is rough.", "zh": "九个座位，没有菜单，今天吃什么由渔船决定；风浪大就歇业。"}', '2026-11-22 05:23:34.009+00');

INSERT INTO public.order_requests (user_id, procedure, request_id, order_id, payment_id, created_at) VALUES
	('ef92a68a-a573-4d07-85b3-55301afc4b02', 'order.pay', 'd6a4a4be-8a68-491a-8d05-f187f8f37bfc', '2cf1a83d-6f99-4a37-a49d-f52c6f5c6b57', 'a6641ac8-3fc3-4e0e-b919-339f2f46e141', '2026-11-22 05:23:37.869+00'),
	('7e677fcd-1465-42c7-8e60-6dc486f0b706', 'order.pay', '3acb0037-38ab-44b7-9f14-2154262da5ee', 'ff024f9a-20f5-4e5f-b557-84f2de0c5096', '9c461b6f-089b-4d34-8965-e26c9e8d4396', '2026-11-22 05:23:37.913+00'),
	('b2c4755c-7d9d-47dc-97df-ea1cbce09343', 'order.pay', '8607b429-6367-4bb9-b7d4-f6a415eb8ebd', '68583028-6489-4801-a8d1-310726877c7c', '7a7d5f3d-fa61-481d-8ee5-a85feabf082d', '2026-11-22 05:23:37.953+00'),
	('b2c4755c-7d9d-47dc-97df-ea1cbce09343', 'order.pay', '6617bbc9-c0af-49cd-b3e0-26c1247ff94b', '68583028-6489-4801-a8d1-310726877c7c', '5ffcf3cd-176e-4118-b59e-1ce01ceb6bac', '2026-11-22 05:23:37.973+00'),
	('5c75022d-b32f-4816-b20d-a957269d1fc8', 'order.cancel', '96f91659-78ae-4155-b5de-735ba7dcc907', 'd55b6d4b-10ed-41da-ba33-3adb7120ff08', NULL, '2026-11-22 05:23:38.009+00'),
	('687f134b-357c-46c1-a71d-3bdaafe34e0e', 'order.pay', '54323438-e8dc-47ed-b32d-3c06dfac13d7', '09b2979b-c16c-42fb-8427-87ced40d9bb7', '5bb81d91-9d2b-447f-95b7-7b856b827af8', '2026-11-22 05:23:38.218+00'),
	('687f134b-357c-46c1-a71d-3bdaafe34e0e', 'order.cancel', 'c28d02a0-baa3-41d0-97e7-ba2a36464f63', '09b2979b-c16c-42fb-8427-87ced40d9bb7', NULL, '2026-11-22 05:23:40.242+00'),
	('5754319b-fa05-42b6-ba97-cb76d82b4a71', 'order.pay', 'e9b48b97-8485-4433-af4b-6166672e1aba', '5f6ef578-e873-4d4a-9a31-5b4b83d0beb8', '1b82be24-f2d4-476b-8605-d950c03acfc1', '2026-11-22 05:23:40.268+00'),
	('5754319b-fa05-42b6-ba97-cb76d82b4a71', 'order.cancel', '1b0e37f4-adff-4a67-a9f8-2948d964fb01', '5f6ef578-e873-4d4a-9a31-5b4b83d0beb8', NULL, '2026-11-22 05:23:42.284+00'),
	('dbc5ebdc-2acd-401c-9062-9d933c0ccd26', 'order.pay', '7a84339a-cd1f-4a04-81cc-c38a3f9ae629', 'f9f57ddf-b278-4734-9263-c2134405fd68', 'b918170d-db3c-44d1-b782-71534978b3f5', '2026-11-22 05:38:57.974+00'),
	('b52bc453-a7cc-4f64-9a12-4e82fa71aa42', 'order.cancel', 'd55852d5-a064-41ab-959e-29532a99278d', '0065299a-0711-419a-bff3-fee8b14a6bbb', NULL, '2026-11-22 05:38:59.993+00');

INSERT INTO public.orders (id, coupon_id, user_id, status, one_per_shopper, code, request_id, created_at, confirmed_at, hold_until, gate_owed) VALUES
	('2cf1a83d-6f99-4a37-a49d-f52c6f5c6b57', 'bean-of-the-week-r1', 'ef92a68a-a573-4d07-85b3-55301afc4b02', 'paid', true, '8A3G8VN2RW', 'bf61bd93-2c28-407a-a62b-ef377aea03d1', '2026-11-22 05:23:37.763+00', '2026-11-22 05:23:37.765+00', '2026-11-22 05:38:37.765+00', NULL),
	('ff024f9a-20f5-4e5f-b557-84f2de0c5096', 'bean-of-the-week-r1', '7e677fcd-1465-42c7-8e60-6dc486f0b706', 'paid', true, 'Z3BRZR48K3', '3161c19f-5020-41a3-a601-6d21101d8274', '2026-11-22 05:23:37.773+00', '2026-11-22 05:23:37.775+00', '2026-11-22 05:38:37.775+00', NULL),
	('68583028-6489-4801-a8d1-310726877c7c', 'bean-of-the-week-r1', 'b2c4755c-7d9d-47dc-97df-ea1cbce09343', 'paid', true, 'PKUNU79PGH', '9c4afa06-5b2f-48ee-912f-be84fff31f1e', '2026-11-22 05:23:37.795+00', '2026-11-22 05:23:37.797+00', '2026-11-22 05:38:37.797+00', NULL),
	('d55b6d4b-10ed-41da-ba33-3adb7120ff08', 'bean-of-the-week-r1', '5c75022d-b32f-4816-b20d-a957269d1fc8', 'cancelled', true, 'DKPQVCSSPA', '7cbb489a-79e5-485e-a148-e97a98c70e5f', '2026-11-22 05:23:37.806+00', '2026-11-22 05:23:37.808+00', '2026-11-22 05:38:37.808+00', NULL),
	('6f5242c9-cae6-43c4-b495-d3a9b1d94dbe', 'any-bowl', '91aa013a-62ae-44f6-8be4-1a9608d46886', 'confirmed', false, 'C8BZZYNMKF', 'bc5219b0-8ff7-4c76-b3c1-f6561f81c2e3', '2026-11-22 05:23:38.033+00', '2026-11-22 05:23:38.034+00', NULL, NULL),
	('f23725bb-781c-4ceb-9421-2b29801e7697', 'any-bowl', '91aa013a-62ae-44f6-8be4-1a9608d46886', 'confirmed', false, 'FYDVV4HCBX', '78dfbeba-1ac4-4518-a646-3f5304ee10f6', '2026-11-22 05:23:38.042+00', '2026-11-22 05:23:38.044+00', NULL, NULL),
	('bb4ad935-e3de-4638-b2e1-d0d153a86a6d', 'any-bowl', '91aa013a-62ae-44f6-8be4-1a9608d46886', 'confirmed', false, '5XEH4MG54G', '4e1f739b-57b2-474a-b56b-68193af5f716', '2026-11-22 05:23:38.054+00', '2026-11-22 05:23:38.055+00', NULL, NULL),
	('6dfd751c-c5fd-45b5-bff1-921d44b50a05', 'any-bowl', '9b9ac05b-a627-48e5-8a50-b18e34934e23', 'confirmed', false, 'S24TD59JJ8', '2d1f4855-0152-4786-baed-29fc21314ce2', '2026-11-22 05:23:38.063+00', '2026-11-22 05:23:38.064+00', NULL, NULL),
	('a8290ea4-bf0a-4ff2-8c71-f9ef0333ccc5', 'any-bowl', '9b9ac05b-a627-48e5-8a50-b18e34934e23', 'confirmed', false, 'PU3M367LQL', '62b10a40-ea14-4981-b8ce-d88da256b1e7', '2026-11-22 05:23:38.07+00', '2026-11-22 05:23:38.072+00', NULL, NULL),
	('9b2e4930-3209-4100-9bc5-4e06ca047d47', 'any-bowl', '9b9ac05b-a627-48e5-8a50-b18e34934e23', 'confirmed', false, '7JRUNMW6RV', '63ccddaa-8580-42b5-9e5f-9044b142685d', '2026-11-22 05:23:38.079+00', '2026-11-22 05:23:38.08+00', NULL, NULL),
	('2a9ee489-2060-4069-8b03-363dec58777a', 'any-bowl', 'ef92a68a-a573-4d07-85b3-55301afc4b02', 'confirmed', false, 'YTJBU6N37Z', 'cbaa4128-9f68-4934-aa03-955a749c4eff', '2026-11-22 05:23:38.089+00', '2026-11-22 05:23:38.091+00', NULL, NULL),
	('808647d6-16bb-4f32-8ba1-f4855df6e8de', 'any-bowl', 'ef92a68a-a573-4d07-85b3-55301afc4b02', 'confirmed', false, 'X4ADCUH5P3', '9b4f4bb0-8e8e-43c0-9931-7b25a465ef24', '2026-11-22 05:23:38.098+00', '2026-11-22 05:23:38.1+00', NULL, NULL),
	('e9e7cb08-f84a-4d3b-960e-1540ca540173', 'any-bowl', 'ef92a68a-a573-4d07-85b3-55301afc4b02', 'confirmed', false, '3UXCT5ULMV', '98f70610-a765-4c84-81f4-f4b2ab783523', '2026-11-22 05:23:38.115+00', '2026-11-22 05:23:38.117+00', NULL, NULL),
	('ae00a773-1bc4-4218-acfc-e0af1a363696', 'any-bowl', '7e677fcd-1465-42c7-8e60-6dc486f0b706', 'confirmed', false, 'X5XFGJX6JR', '273821ab-c9f2-4160-b9db-6dacb9b3fabb', '2026-11-22 05:23:38.125+00', '2026-11-22 05:23:38.127+00', NULL, NULL),
	('89724fd5-a120-48a9-8ee8-8af2fd3a0d77', 'any-bowl', '7e677fcd-1465-42c7-8e60-6dc486f0b706', 'confirmed', false, 'P7PCQTRM3T', '0ab33177-9898-4605-8dd0-9e8ead47a7d4', '2026-11-22 05:23:38.135+00', '2026-11-22 05:23:38.136+00', NULL, NULL),
	('98d3a8ea-999b-40ab-b1e7-438a87199a26', 'any-bowl', '7e677fcd-1465-42c7-8e60-6dc486f0b706', 'confirmed', false, 'JZQSPWF3US', '3914e7e3-9598-4880-8fad-efc7435195f2', '2026-11-22 05:23:38.149+00', '2026-11-22 05:23:38.152+00', NULL, NULL),
	('09b2979b-c16c-42fb-8427-87ced40d9bb7', 'bean-of-the-week-r1', '687f134b-357c-46c1-a71d-3bdaafe34e0e', 'cancelled', true, 'UBMHXV7JLP', '0a341c12-3d72-4faa-94d1-cbfaba149fec', '2026-11-22 05:23:37.818+00', '2026-11-22 05:23:37.82+00', '2026-11-22 05:38:37.82+00', NULL),
	('5f6ef578-e873-4d4a-9a31-5b4b83d0beb8', 'bean-of-the-week-r1', '5754319b-fa05-42b6-ba97-cb76d82b4a71', 'cancelled', true, '2JMT4PB3AW', 'ce576eef-f4b9-45ea-b984-5a000a3651d6', '2026-11-22 05:23:37.832+00', '2026-11-22 05:23:37.834+00', '2026-11-22 05:38:37.834+00', NULL),
	('90490806-d9be-4762-8595-e48004465ed2', 'bean-of-the-week-r1', '87164cc2-c16a-4ac5-a479-7ec29761d57c', 'expired', true, '45WD94XCRE', 'c8ad4865-0d53-4241-8b89-04ea5d077fe3', '2026-11-22 05:23:37.843+00', '2026-11-22 05:23:37.845+00', '2026-11-22 05:38:37.845+00', NULL),
	('b40b69f3-b7d7-4eea-aefb-68bfcce555b8', 'hotpot-50-r1', '91aa013a-62ae-44f6-8be4-1a9608d46886', 'expired', true, '2GFRCNGU8W', '6bd9bf9a-f463-493b-ba17-d92d85f0359a', '2026-11-22 05:23:37.711+00', '2026-11-22 05:23:37.714+00', '2026-11-22 05:38:37.714+00', NULL),
	('1e7c7dff-85cd-41a8-ae1f-a152244a4939', 'hotpot-50-r1', '9b9ac05b-a627-48e5-8a50-b18e34934e23', 'expired', true, 'LPT3F9J3DE', 'e0bac6ee-ecfa-4958-973e-d7b203e32ee9', '2026-11-22 05:23:37.735+00', '2026-11-22 05:23:37.75+00', '2026-11-22 05:38:37.75+00', NULL),
	('5611f0f3-309b-41e3-88f0-3dc230e56787', 'bean-of-the-week-r1', '5c75022d-b32f-4816-b20d-a957269d1fc8', 'expired', true, 'UEAAK94AS7', 'd1888bc8-958c-4a8e-88bc-df76d6017a30', '2026-11-22 05:23:38.021+00', '2026-11-22 05:23:38.023+00', '2026-11-22 05:38:38.023+00', NULL),
	('8c8dd825-0a4d-454d-8bb6-c505793a99d0', 'c2372510-f73f-473b-9200-ddf60c873031', 'b2c4755c-7d9d-47dc-97df-ea1cbce09343', 'expired', true, 'TRPFJHW3JS', '8ef5932d-1680-442f-9a78-35fe7ae30d5b', '2026-11-22 05:23:38.161+00', '2026-11-22 05:23:38.163+00', '2026-11-22 05:38:38.163+00', NULL),
	('59a79e40-e15d-455e-a640-a99d8f9328f3', 'c2372510-f73f-473b-9200-ddf60c873031', '5c75022d-b32f-4816-b20d-a957269d1fc8', 'expired', true, 'E8DN8Q7S4J', '070f52f9-7b67-40ee-818b-f55915f677fb', '2026-11-22 05:23:38.173+00', '2026-11-22 05:23:38.174+00', '2026-11-22 05:38:38.174+00', NULL),
	('1303ef07-c3ee-4e80-9866-06e2fef7bfd7', 'c2372510-f73f-473b-9200-ddf60c873031', '687f134b-357c-46c1-a71d-3bdaafe34e0e', 'expired', true, '3K4E2MLCTD', 'e4cac965-3cef-498a-b55a-ce323f366320', '2026-11-22 05:23:38.182+00', '2026-11-22 05:23:38.184+00', '2026-11-22 05:38:38.184+00', NULL),
	('8e3b1ddf-a5f6-4b44-b878-c538b151292b', 'c2372510-f73f-473b-9200-ddf60c873031', '5754319b-fa05-42b6-ba97-cb76d82b4a71', 'expired', true, 'MRMQGWB6T8', '6937af4c-400a-4656-9530-87c994fbb713', '2026-11-22 05:23:38.191+00', '2026-11-22 05:23:38.193+00', '2026-11-22 05:38:38.193+00', NULL),
	('74159ead-9f94-45e8-9228-de592312421a', 'bean-of-the-week-r1', 'f12f47c4-92d2-4b10-9e30-262aea707446', 'expired', true, '3VB9V42AXX', '7c1e4d87-4322-49b3-b33d-1c49557b3b8a', '2026-11-22 05:23:53.412+00', '2026-11-22 05:23:53.413+00', '2026-11-22 05:38:53.413+00', NULL),
	('3c17f864-cda7-4874-8c47-b05b9236e1e1', 'hotpot-50-r1', '8a7d6fd1-c530-4409-84a9-d045727914b1', 'expired', true, 'LLPR962UEP', '9ae0cb10-7fd5-4dd0-8046-f4e9ed71eb6d', '2026-11-22 05:23:53.387+00', '2026-11-22 05:23:53.388+00', '2026-11-22 05:38:53.388+00', NULL),
	('e3c4badf-52be-4846-adbb-7e8baccc7e4a', 'hotpot-50-r1', 'dbc5ebdc-2acd-401c-9062-9d933c0ccd26', 'expired', true, 'Q4AZQNXDLT', '0cc271b1-034e-4e0e-a476-e0abbc4caa9a', '2026-11-22 05:23:53.395+00', '2026-11-22 05:23:53.397+00', '2026-11-22 05:38:53.397+00', NULL),
	('20dc6fb1-942a-483a-a646-309820f29264', 'hotpot-50-r1', 'b52bc453-a7cc-4f64-9a12-4e82fa71aa42', 'expired', true, 'VZTHDBYJVY', '466d515c-6d04-41af-bd2d-c5003fbafa51', '2026-11-22 05:23:53.406+00', '2026-11-22 05:23:53.407+00', '2026-11-22 05:38:53.407+00', NULL),
	('0d736160-4f6b-4a3e-93e9-94d3aefe00e2', 'bean-of-the-week-r1', '9b9ac05b-a627-48e5-8a50-b18e34934e23', 'confirmed', true, '2AFLGCL35J', 'aa372731-0ebc-47b7-9879-6372e69cb7ef', '2026-11-22 05:38:57.886+00', '2026-11-22 05:38:57.887+00', '2026-11-22 05:53:57.887+00', NULL),
	('8c2c0e32-4228-4355-974e-0f6cf0327d4a', 'hotpot-50-r1', '87164cc2-c16a-4ac5-a479-7ec29761d57c', 'confirmed', true, '8TGVEEBTLF', 'b82718e6-3b37-4ae1-9a95-06b08ddcb5e0', '2026-11-22 05:38:57.912+00', '2026-11-22 05:38:57.914+00', '2026-11-22 05:53:57.914+00', NULL),
	('6e4bc643-67e3-40dc-b1f9-2506370362be', 'bean-of-the-week-r1', '8a7d6fd1-c530-4409-84a9-d045727914b1', 'confirmed', true, '92BL7AC8JN', '254eadad-64cb-46c6-a3b3-42ba81fc4aad', '2026-11-22 05:38:57.925+00', '2026-11-22 05:38:57.927+00', '2026-11-22 05:53:57.927+00', NULL),
	('f9f57ddf-b278-4734-9263-c2134405fd68', 'bean-of-the-week-r1', 'dbc5ebdc-2acd-401c-9062-9d933c0ccd26', 'confirmed', true, 'G5V9QJVQC5', '625bdc42-79aa-4976-866e-420983ec5990', '2026-11-22 05:38:57.951+00', '2026-11-22 05:38:57.952+00', '2026-11-22 05:53:57.952+00', NULL),
	('0065299a-0711-419a-bff3-fee8b14a6bbb', 'bean-of-the-week-r1', 'b52bc453-a7cc-4f64-9a12-4e82fa71aa42', 'cancelled', true, '7JKRQTXPHW', 'ae04c2d5-69e9-4498-9e34-0bd186074d1f', '2026-11-22 05:38:57.96+00', '2026-11-22 05:38:57.962+00', '2026-11-22 05:53:57.962+00', 2);

INSERT INTO public.payments (id, order_id, amount_cents, method, status, created_at, ask_again_at, settled_at) VALUES
	('a6641ac8-3fc3-4e0e-b919-339f2f46e141', '2cf1a83d-6f99-4a37-a49d-f52c6f5c6b57', 450, 'approves', 'approved', '2026-11-22 05:23:37.869+00', '2026-11-22 05:23:42.869+00', '2026-11-22 05:23:37.877+00'),
	('9c461b6f-089b-4d34-8965-e26c9e8d4396', 'ff024f9a-20f5-4e5f-b557-84f2de0c5096', 450, 'answers-twice', 'approved', '2026-11-22 05:23:37.913+00', '2026-11-22 05:23:42.913+00', '2026-11-22 05:23:37.919+00'),
	('7a7d5f3d-fa61-481d-8ee5-a85feabf082d', '68583028-6489-4801-a8d1-310726877c7c', 450, 'declines', 'declined', '2026-11-22 05:23:37.953+00', '2026-11-22 05:23:42.953+00', '2026-11-22 05:23:37.958+00'),
	('5ffcf3cd-176e-4118-b59e-1ce01ceb6bac', '68583028-6489-4801-a8d1-310726877c7c', 450, 'approves', 'approved', '2026-11-22 05:23:37.973+00', '2026-11-22 05:23:42.973+00', '2026-11-22 05:23:37.989+00'),
	('1b82be24-f2d4-476b-8605-d950c03acfc1', '5f6ef578-e873-4d4a-9a31-5b4b83d0beb8', 450, 'times-out', 'refund-due', '2026-11-22 05:23:40.268+00', '2026-11-22 05:23:50.403+00', '2026-11-22 05:23:45.405+00'),
	('5bb81d91-9d2b-447f-95b7-7b856b827af8', '09b2979b-c16c-42fb-8427-87ced40d9bb7', 450, 'times-out', 'refunded', '2026-11-22 05:23:38.218+00', '2026-11-22 05:23:48.392+00', '2026-11-22 05:23:43.396+00'),
	('b918170d-db3c-44d1-b782-71534978b3f5', 'f9f57ddf-b278-4734-9263-c2134405fd68', 450, 'times-out', 'pending', '2026-11-22 05:38:57.974+00', '2026-11-22 05:39:02.974+00', NULL);

INSERT INTO public.shared_secrets (name, value) VALUES
	('subjects', 'eW8J8_swnTfBNJOchwOPqLFAZQqOOBvn6KqItDM3Tuc'),
	('sign-in codes', '0ib6ef78Sh7VL0-dmgg8q_2WR14j9ZnleWNKVvaEYF0');

INSERT INTO public.sign_in_codes (request_hash, code_hash, expires_at) VALUES
	('Ge4LsVTaNb_5T7jFJdvAOGht_amySaKGgDvvNSvVpqg', 'FezPHdyQrG7GtGwxYMxK3u0thfFqCi8UGzjY9UAlTzg', '2026-11-22 05:33:36.079+00'),
	('2aJRHr_ISJpf1n8xKgM-JerAALFzKWs_YH9ORJjl16Q', 'J04GN7ctNXeIeDweKS1OxP6nWjj4sOlvEKVtH3x6NOY', '2026-11-22 05:48:57.945+00');

INSERT INTO public.users (id, name, email, role, is_demo, created_at) VALUES
	('7c69d746-eacf-4e70-befc-d6035b6e87c4', 'Grace', NULL, 'admin', true, '2026-11-22 05:23:35.833+00'),
	('3491aacd-3642-485f-b77c-689495a030a2', 'Boss', 'boss@example.com', 'admin', false, '2026-11-22 05:23:35.927+00'),
	('91aa013a-62ae-44f6-8be4-1a9608d46886', 'Ada Lovelace', 'ada.lovelace@example.com', 'shopper', false, '2026-11-22 05:23:35.956+00'),
	('9b9ac05b-a627-48e5-8a50-b18e34934e23', 'Ann', NULL, 'shopper', true, '2026-11-22 05:23:35.972+00'),
	('ef92a68a-a573-4d07-85b3-55301afc4b02', '李雷', NULL, 'shopper', true, '2026-11-22 05:23:35.999+00'),
	('7e677fcd-1465-42c7-8e60-6dc486f0b706', '韩梅梅', NULL, 'shopper', true, '2026-11-22 05:23:36.012+00'),
	('b2c4755c-7d9d-47dc-97df-ea1cbce09343', 'Bo', NULL, 'shopper', true, '2026-11-22 05:23:36.018+00'),
	('5c75022d-b32f-4816-b20d-a957269d1fc8', 'Cy', NULL, 'shopper', true, '2026-11-22 05:23:36.026+00'),
	('687f134b-357c-46c1-a71d-3bdaafe34e0e', 'Dee', NULL, 'shopper', true, '2026-11-22 05:23:36.034+00'),
	('5754319b-fa05-42b6-ba97-cb76d82b4a71', 'Eli', NULL, 'shopper', true, '2026-11-22 05:23:36.041+00'),
	('87164cc2-c16a-4ac5-a479-7ec29761d57c', 'Fay', NULL, 'shopper', true, '2026-11-22 05:23:36.045+00'),
	('8a7d6fd1-c530-4409-84a9-d045727914b1', 'Witty Otter 91647', NULL, 'shopper', true, '2026-11-22 05:23:36.052+00'),
	('dbc5ebdc-2acd-401c-9062-9d933c0ccd26', 'Cheerful Tapir 308', NULL, 'shopper', true, '2026-11-22 05:23:36.063+00'),
	('b52bc453-a7cc-4f64-9a12-4e82fa71aa42', 'Lucky Tapir 89172', NULL, 'shopper', true, '2026-11-22 05:23:36.068+00'),
	('f12f47c4-92d2-4b10-9e30-262aea707446', 'Curious Magpie 81392', NULL, 'shopper', true, '2026-11-22 05:23:36.074+00');

SELECT pg_catalog.setval('drizzle.__drizzle_migrations_id_seq', 7, true);

SELECT pg_catalog.setval('public.audit_log_id_seq', 9, true);

ALTER TABLE ONLY drizzle.__drizzle_migrations
    ADD CONSTRAINT __drizzle_migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.coupons
    ADD CONSTRAINT coupons_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.limit_overrides
    ADD CONSTRAINT limit_overrides_policy_level_pk PRIMARY KEY (policy, level);

ALTER TABLE ONLY public.merchants
    ADD CONSTRAINT merchants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.order_requests
    ADD CONSTRAINT order_requests_user_id_procedure_request_id_pk PRIMARY KEY (user_id, procedure, request_id);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.shared_secrets
    ADD CONSTRAINT shared_secrets_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.sign_in_codes
    ADD CONSTRAINT sign_in_codes_pkey PRIMARY KEY (request_hash);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

CREATE INDEX audit_log_changed_at ON public.audit_log USING btree (changed_at);

CREATE INDEX coupons_ends_at ON public.coupons USING btree (ends_at);

CREATE INDEX coupons_merchant ON public.coupons USING btree (merchant_id);

CREATE UNIQUE INDEX coupons_series_round ON public.coupons USING btree (series, round);

CREATE INDEX order_requests_created_at ON public.order_requests USING btree (created_at);

CREATE INDEX orders_gate_owed ON public.orders USING btree (coupon_id) WHERE (gate_owed IS NOT NULL);

CREATE INDEX orders_held ON public.orders USING btree (hold_until) WHERE (status = 'confirmed'::public.order_status);

CREATE INDEX orders_of_user ON public.orders USING btree (user_id, created_at);

CREATE UNIQUE INDEX orders_one_open_per_shopper ON public.orders USING btree (coupon_id, user_id) WHERE (one_per_shopper AND (status = ANY (ARRAY['confirmed'::public.order_status, 'paid'::public.order_status])));

CREATE UNIQUE INDEX orders_request ON public.orders USING btree (coupon_id, user_id, request_id);

CREATE INDEX payments_of_order ON public.payments USING btree (order_id, created_at);

CREATE UNIQUE INDEX payments_one_open_per_order ON public.payments USING btree (order_id) WHERE (status = ANY (ARRAY['pending'::public.payment_status, 'approved'::public.payment_status]));

CREATE INDEX payments_pending ON public.payments USING btree (ask_again_at) WHERE (status = 'pending'::public.payment_status);

CREATE INDEX payments_refund_due ON public.payments USING btree (settled_at) WHERE (status = 'refund-due'::public.payment_status);

CREATE UNIQUE INDEX users_demo_name ON public.users USING btree (name) WHERE is_demo;

CREATE UNIQUE INDEX users_email ON public.users USING btree (email);

ALTER TABLE ONLY public.coupons
    ADD CONSTRAINT coupons_merchant_id_merchants_id_fk FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);

ALTER TABLE ONLY public.order_requests
    ADD CONSTRAINT order_requests_order_id_orders_id_fk FOREIGN KEY (order_id) REFERENCES public.orders(id);

ALTER TABLE ONLY public.order_requests
    ADD CONSTRAINT order_requests_payment_id_payments_id_fk FOREIGN KEY (payment_id) REFERENCES public.payments(id);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_coupon_id_coupons_id_fk FOREIGN KEY (coupon_id) REFERENCES public.coupons(id);

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_order_id_orders_id_fk FOREIGN KEY (order_id) REFERENCES public.orders(id);
