CREATE TYPE "public"."coupon_kind" AS ENUM('seckill', 'claim');--> statement-breakpoint
CREATE TYPE "public"."limit_mode" AS ENUM('enforce', 'shadow', 'off');--> statement-breakpoint
CREATE TYPE "public"."order_status" AS ENUM('confirmed', 'paid', 'cancelled', 'expired');--> statement-breakpoint
CREATE TYPE "public"."payment_status" AS ENUM('pending', 'approved', 'declined', 'refund-due', 'refunded');--> statement-breakpoint
CREATE TYPE "public"."user_role" AS ENUM('shopper', 'admin');--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"who" text NOT NULL,
	"what" text NOT NULL,
	"target" text NOT NULL,
	"before" jsonb NOT NULL,
	"after" jsonb NOT NULL,
	"why" text
);
--> statement-breakpoint
CREATE TABLE "coupons" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"kind" "coupon_kind" NOT NULL,
	"title" jsonb NOT NULL,
	"face_value_cents" integer NOT NULL,
	"price_cents" integer NOT NULL,
	"stock" integer,
	"sold" integer DEFAULT 0 NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	"gate_sequence" bigint DEFAULT 0 NOT NULL,
	"gate_claimed_at" timestamp (3) with time zone,
	"sold_out_at" timestamp (3) with time zone,
	"hold_ms" integer DEFAULT 900000 NOT NULL,
	"round" integer DEFAULT 1 NOT NULL,
	"series" text,
	"next_round_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "coupons_sold_within_stock" CHECK ("coupons"."sold" >= 0 and ("coupons"."stock" is null or "coupons"."sold" <= "coupons"."stock")),
	CONSTRAINT "coupons_stock_by_kind" CHECK (("coupons"."kind" = 'seckill') = ("coupons"."stock" is not null)),
	CONSTRAINT "coupons_prices" CHECK ("coupons"."face_value_cents" > 0 and "coupons"."price_cents" >= 0),
	CONSTRAINT "coupons_period" CHECK ("coupons"."starts_at" < "coupons"."ends_at"),
	CONSTRAINT "coupons_hold" CHECK ("coupons"."hold_ms" > 0)
);
--> statement-breakpoint
CREATE TABLE "limit_overrides" (
	"policy" text NOT NULL,
	"level" text NOT NULL,
	"limit" integer,
	"window_ms" bigint,
	"mode" "limit_mode",
	"version" integer NOT NULL,
	"who" text NOT NULL,
	"why" text,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "limit_overrides_policy_level_pk" PRIMARY KEY("policy","level")
);
--> statement-breakpoint
CREATE TABLE "merchants" (
	"id" text PRIMARY KEY NOT NULL,
	"name" jsonb NOT NULL,
	"category" jsonb NOT NULL,
	"address" jsonb NOT NULL,
	"about" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "order_requests" (
	"user_id" text NOT NULL,
	"procedure" text NOT NULL,
	"request_id" text NOT NULL,
	"order_id" text NOT NULL,
	"payment_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "order_requests_user_id_procedure_request_id_pk" PRIMARY KEY("user_id","procedure","request_id")
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" text PRIMARY KEY NOT NULL,
	"coupon_id" text NOT NULL,
	"user_id" text NOT NULL,
	"status" "order_status" NOT NULL,
	"one_per_shopper" boolean NOT NULL,
	"code" text NOT NULL,
	"request_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"hold_until" timestamp (3) with time zone,
	"gate_owed" integer
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"method" text NOT NULL,
	"status" "payment_status" DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ask_again_at" timestamp (3) with time zone NOT NULL,
	"settled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "shared_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_codes" (
	"request_hash" text PRIMARY KEY NOT NULL,
	"code_hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text,
	"role" "user_role" DEFAULT 'shopper' NOT NULL,
	"is_demo" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "coupons" ADD CONSTRAINT "coupons_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_requests" ADD CONSTRAINT "order_requests_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_requests" ADD CONSTRAINT "order_requests_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_coupon_id_coupons_id_fk" FOREIGN KEY ("coupon_id") REFERENCES "public"."coupons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_changed_at" ON "audit_log" USING btree ("changed_at");--> statement-breakpoint
CREATE INDEX "coupons_merchant" ON "coupons" USING btree ("merchant_id");--> statement-breakpoint
CREATE INDEX "coupons_ends_at" ON "coupons" USING btree ("ends_at");--> statement-breakpoint
CREATE UNIQUE INDEX "coupons_series_round" ON "coupons" USING btree ("series","round");--> statement-breakpoint
CREATE INDEX "order_requests_created_at" ON "order_requests" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_one_open_per_shopper" ON "orders" USING btree ("coupon_id","user_id") WHERE "orders"."one_per_shopper" and "orders"."status" in ('confirmed', 'paid');--> statement-breakpoint
CREATE UNIQUE INDEX "orders_request" ON "orders" USING btree ("coupon_id","user_id","request_id");--> statement-breakpoint
CREATE INDEX "orders_of_user" ON "orders" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "orders_held" ON "orders" USING btree ("hold_until") WHERE "orders"."status" = 'confirmed';--> statement-breakpoint
CREATE INDEX "orders_gate_owed" ON "orders" USING btree ("coupon_id") WHERE "orders"."gate_owed" is not null;--> statement-breakpoint
CREATE INDEX "payments_of_order" ON "payments" USING btree ("order_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_one_open_per_order" ON "payments" USING btree ("order_id") WHERE "payments"."status" in ('pending', 'approved');--> statement-breakpoint
CREATE INDEX "payments_pending" ON "payments" USING btree ("ask_again_at") WHERE "payments"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "payments_refund_due" ON "payments" USING btree ("settled_at") WHERE "payments"."status" = 'refund-due';--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "users_demo_name" ON "users" USING btree ("name") WHERE "users"."is_demo";