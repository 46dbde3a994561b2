(* The compensated filter of lib/core/arith/compensated.h: its bound for any number of terms, by
   induction over whatever schedule of steps and joins a kernel has.

   Operations are RN on real numbers; sums that overflow end in Inf or NaN, which the library sees in
   the result (Transformations: a finite error of two_sum means that nothing overflowed). *)
From Coq Require Import ZArith Reals Lra Lia List.
From Flocq Require Import Core BinarySingleNaN.
From ExBLAS Require Import Base Constants Certificate Transformations.
Import ListNotations.

Open Scope R_scope.

Record lane := { part_s : R; part_c : R; part_w : R }.

Definition empty := {| part_s := 0; part_c := 0; part_w := 0 |}.

(* C: lib/core/arith/compensated.h
   a.s = exb_two_sum(a.s, p, &q);
   double t = q + r;
   a.c += t;
   a.w += exb_fabs(t); *)
Definition step (a : lane) (p r : R) : lane :=
  let t := RN (sum_error (part_s a) p + r) in
  {| part_s := RN (part_s a + p); part_c := RN (part_c a + t); part_w := RN (part_w a + Rabs t) |}.

(* C: lib/core/simd/compensated_simd.h
   a.s = v_two_sum(a.s, b.s, &q);
   exb_v t = v_add(q, b.c);
   a.c = v_add(a.c, t);
   a.w = v_add(v_add(a.w, v_abs(t)), b.w); *)
Definition join (a b : lane) : lane :=
  let s := step a (part_s b) (part_c b) in
  {| part_s := part_s s; part_c := part_c s; part_w := RN (part_w s + part_w b) |}.

(* A term p + r, as a pair, and the exact sum of terms. *)
Definition total (terms : list (R * R)) := fold_right (fun t x => fst t + snd t + x) 0 terms.

Lemma total_app a b : total (a ++ b) = total a + total b.
Proof. induction a; simpl; lra. Qed.

(* computed n terms a: a may be what a kernel makes of these terms, no more than n additions deep. *)
Inductive computed : nat -> list (R * R) -> lane -> Prop :=
| computed_none : computed 0 [] empty
| computed_term n terms a p r : computed n terms a -> F p -> F r ->
    computed (S n) (terms ++ [(p, r)]) (step a p r)
| computed_join n m terms more a b : computed n terms a -> computed m more b ->
    computed (S (max n m)) (terms ++ more) (join a b).

(* One lane after its terms, as a loop leaves it. *)
Definition run (terms : list (R * R)) := fold_left (fun a t => step a (fst t) (snd t)) terms empty.

Lemma run_computed terms : Forall (fun t => F (fst t) /\ F (snd t)) terms ->
  computed (length terms) terms (run terms).
Proof.
  intros H. unfold run. rewrite <- (rev_involutive terms) in *. set (l := rev terms) in *. clearbody l.
  induction l as [|[p r] l IH]; [constructor|]. simpl rev in *.
  rewrite fold_left_app, app_length, Nat.add_1_r. simpl.
  apply Forall_app in H. destruct H as [H K]. inversion K as [|? ? [Fp Fr] _]; subst.
  apply computed_term; auto.
Qed.

Lemma abs_of_four a b c d : Rabs (a + b - c - d) <= Rabs a + Rabs b + Rabs c + Rabs d.
Proof. unfold Rabs. repeat destruct Rcase_abs; lra. Qed.

(* The invariant of the loop: W is the exact sum of all |t|. *)
Definition error_factor n := u + INR n * u * (1 + u) ^ n.

Record holds (n : nat) (X : R) (a : lane) (W : R) : Prop := {
  number_s : F (part_s a); number_c : F (part_c a); number_w : F (part_w a);
  weight_pos : 0 <= W;
  weight_computed : (1 - u) ^ (2 * n) * W <= part_w a;
  correction_small : Rabs (part_c a) <= (1 + u) ^ n * W;
  correction_near : Rabs (X - (part_s a + part_c a)) <= error_factor n * W }.

Lemma up_power_mono n m : (n <= m)%nat -> (1 + u) ^ n <= (1 + u) ^ m.
Proof. intros H. apply Rle_pow; auto. pose proof u_pos. lra. Qed.

Lemma up_power_pos n : 0 < (1 + u) ^ n.
Proof. apply pow_lt. pose proof u_pos. lra. Qed.

Lemma down_power_mono n m : (n <= m)%nat -> (1 - u) ^ m <= (1 - u) ^ n.
Proof.
  intros H. induction H; [lra|]. simpl.
  assert (0 <= (1 - u) ^ m) by (apply pow_le; pose proof u_small; lra).
  pose proof u_pos. nra.
Qed.

Lemma error_factor_mono n m : (n <= m)%nat -> error_factor n <= error_factor m.
Proof.
  intros H. unfold error_factor. apply Rplus_le_compat_l.
  apply Rmult_le_compat; auto using up_power_mono, Rlt_le, up_power_pos.
  - apply Rmult_le_pos; [apply pos_INR|apply Rlt_le, u_pos].
  - apply Rmult_le_compat_r; [apply Rlt_le, u_pos|now apply le_INR].
Qed.

Lemma holds_more n m X a W : (n <= m)%nat -> holds n X a W -> holds m X a W.
Proof.
  intros L [F1 F2 F3 P C Sm Nr]. constructor; auto.
  - apply Rle_trans with (2 := C). apply Rmult_le_compat_r; auto. apply down_power_mono. lia.
  - apply Rle_trans with (1 := Sm). apply Rmult_le_compat_r; auto. now apply up_power_mono.
  - apply Rle_trans with (1 := Nr). apply Rmult_le_compat_r; auto. now apply error_factor_mono.
Qed.

Lemma error_factor_next n : error_factor n + u * (1 + u) ^ S n <= error_factor (S n).
Proof.
  unfold error_factor. rewrite S_INR.
  pose proof (up_power_mono n (S n) ltac:(lia)) as M. pose proof u_pos.
  assert (INR n * u * (1 + u) ^ n <= INR n * u * (1 + u) ^ S n).
  { apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [apply pos_INR|lra]. }
  lra.
Qed.

Lemma u_le_error_factor n : u <= error_factor n.
Proof.
  unfold error_factor. assert (0 <= INR n * u * (1 + u) ^ n); [|lra].
  apply Rmult_le_pos; [apply Rmult_le_pos; [apply pos_INR|apply Rlt_le, u_pos]|].
  apply Rlt_le, up_power_pos.
Qed.

(* One step, whose r stands for a part rest that is known up to d. A join is a step with the other
   lane's parts, and its weight: hence V. *)
Lemma step_holds n X a W p r Y V d : holds n X a W -> F p -> F r -> 0 <= V ->
  Rabs (Y - (p + r)) <= d -> d <= error_factor n * V -> Rabs r <= Rabs r ->
  let t := RN (sum_error (part_s a) p + r) in
  let b := step a p r in
  F (part_s b) /\ F (part_c b) /\ F (part_w b) /\
  (1 - u) * ((1 - u) ^ (2 * n) * W + Rabs t) <= part_w b /\
  Rabs (part_c b) <= (1 + u) ^ S n * (W + Rabs t) /\
  Rabs (X + Y - (part_s b + part_c b)) <= error_factor (S n) * (W + Rabs t + V).
Proof.
  intros [F1 F2 F3 P C Sm Nr] Fp Fr HV HY Hd _ t b.
  pose proof u_pos as U0. pose proof u_small as U1.
  assert (E := sum_error_exact (part_s a) p F1 Fp).
  assert (Fq := F_sum_error (part_s a) p).
  set (q := sum_error (part_s a) p) in *.
  assert (Ft : F t) by apply F_RN. assert (At := Rabs_pos t).
  pose proof (add_error q r Fq Fr) as Et. fold t in Et.
  pose proof (add_error (part_c a) t F2 Ft) as Ec.
  pose proof (add_error_exact (part_c a) t F2 Ft) as Ec'.
  pose proof (add_error_exact (part_w a) (Rabs t) F3 (F_abs _ Ft)) as Ew.
  assert (W0 : 0 <= part_w a).
  { apply Rle_trans with (2 := C). apply Rmult_le_pos; auto. apply pow_le. lra. }
  rewrite (Rabs_pos_eq (part_w a + _)) in Ew by lra.
  unfold b, step; cbn [part_s part_c part_w]. fold q. fold t.
  set (c' := RN (part_c a + t)) in *. set (w' := RN (part_w a + Rabs t)) in *.
  assert (Bc : Rabs c' <= (1 + u) ^ S n * (W + Rabs t)).
  { apply Rle_trans with ((1 + u) * Rabs (part_c a + t)).
    - replace c' with ((c' - (part_c a + t)) + (part_c a + t)) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _). lra.
    - simpl pow. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
      apply Rle_trans with (1 := Rabs_triang _ _).
      assert (1 <= (1 + u) ^ n) by (apply pow_R1_Rle; lra). nra. }
  repeat split; try apply F_RN.
  - apply Rabs_le_inv in Ew. assert (0 <= 1 - u) by lra. nra.
  - exact Bc.
  - replace (X + Y - (RN (part_s a + p) + c')) with
      ((X - (part_s a + part_c a)) + (Y - (p + r)) - (t - (q + r)) - (c' - (part_c a + t)))
      by (replace (RN (part_s a + p)) with (part_s a + p - q) by lra; ring).
    apply Rle_trans with (error_factor n * W + error_factor n * V + u * Rabs t + u * Rabs c').
    + apply Rle_trans with (1 := abs_of_four _ _ _ _). lra.
    + pose proof (error_factor_next n) as G. pose proof (u_le_error_factor n) as G'.
      pose proof (up_power_pos (S n)) as Q.
      apply Rle_trans with (error_factor n * (W + Rabs t + V) + u * (1 + u) ^ S n * (W + Rabs t + V)).
      * assert (u * Rabs t <= error_factor n * Rabs t) by (apply Rmult_le_compat_r; auto).
        assert (u * Rabs c' <= u * ((1 + u) ^ S n * (W + Rabs t))) by (apply Rmult_le_compat_l; lra).
        assert (0 <= u * (1 + u) ^ S n * V).
        { apply Rmult_le_pos; auto. apply Rmult_le_pos; lra. }
        lra.
      * rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; lra.
Qed.

Lemma two_more n : ((1 - u) ^ (2 * S n) = (1 - u) * (1 - u) * (1 - u) ^ (2 * n))%R.
Proof. replace (2 * S n)%nat with (S (S (2 * n))) by lia. simpl. ring. Qed.

Lemma down_factor n x y : 0 <= x -> 0 <= y ->
  (1 - u) ^ (2 * S n) * (x + y) <= (1 - u) * (1 - u) * ((1 - u) ^ (2 * n) * x + y).
Proof.
  intros Hx Hy. rewrite two_more. pose proof u_small as U1. pose proof u_pos as U0.
  assert (0 <= (1 - u) ^ (2 * n)) by (apply pow_le; pose proof u_small; lra).
  assert ((1 - u) ^ (2 * n) <= 1).
  { change 1 with ((1 - u) ^ 0) at 2. apply down_power_mono. lia. }
  assert (0 <= (1 - u) * (1 - u)) by (pose proof u_small; nra).
  assert (0 <= (1 - u) * (1 - u) * y * (1 - (1 - u) ^ (2 * n))) by (repeat apply Rmult_le_pos; lra).
  lra.
Qed.

Lemma computed_holds n terms a : computed n terms a -> exists W, holds n (total terms) a W.
Proof.
  pose proof u_pos as U0. pose proof u_small as U1.
  induction 1 as [|n terms a p r _ [W H] Fp Fr|n m terms more a b _ [Wa Ha] _ [Wb Hb]].
  - exists 0. constructor; simpl; try apply F_0; try lra.
    + rewrite Rabs_R0. lra.
    + rewrite Rplus_0_r, Rminus_0_r, Rabs_R0. lra.
  - pose proof (step_holds n _ a W p r (p + r) 0 0 H Fp Fr (Rle_refl 0)) as St. cbv zeta in St.
    rewrite Rminus_diag_eq, Rabs_R0, Rmult_0_r in St by easy.
    specialize (St (Rle_refl 0) (Rle_refl 0) (Rle_refl _)).
    set (t := RN (sum_error (part_s a) p + r)) in *. pose proof (Rabs_pos t) as T.
    destruct St as [A [B [C [D [E G]]]]]. pose proof (weight_pos _ _ _ _ H) as P.
    exists (W + Rabs t). constructor; auto; try lra.
    + apply Rle_trans with (2 := D). apply Rle_trans with (1 := down_factor n W (Rabs t) P T).
      assert (0 <= (1 - u) ^ (2 * n) * W + Rabs t).
      { apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; auto. apply pow_le. lra. }
      match goal with |- _ * _ * ?k <= _ => set (K := k) in * end.
      assert (0 <= (1 - u) * K) by (apply Rmult_le_pos; lra). nra.
    + rewrite total_app. rewrite Rplus_0_r in G.
      change (total [(p, r)]) with (p + r + 0). now rewrite Rplus_0_r.
  - set (k := max n m).
    apply holds_more with (m := k) in Ha; [|lia]. apply holds_more with (m := k) in Hb; [|lia].
    destruct Hb as [Fb1 Fb2 Fb3 Pb Cb _ Nb].
    pose proof (step_holds k _ a Wa (part_s b) (part_c b) (total more) Wb _ Ha Fb1 Fb2 Pb Nb
                  (Rle_refl _) (Rle_refl _)) as St. cbv zeta in St.
    set (t := RN (sum_error (part_s a) (part_s b) + part_c b)) in *. pose proof (Rabs_pos t) as T.
    destruct St as [A [B [C [D [E G]]]]]. pose proof (weight_pos _ _ _ _ Ha) as P.
    assert (O : 0 <= (1 - u) ^ (2 * k)) by (apply pow_le; lra).
    assert (Wb0 : 0 <= part_w b) by (apply Rle_trans with (2 := Cb); now apply Rmult_le_pos).
    assert (K : 0 <= (1 - u) ^ (2 * k) * Wa + Rabs t).
    { apply Rplus_le_le_0_compat; auto. now apply Rmult_le_pos. }
    set (st := step a (part_s b) (part_c b)) in *.
    assert (Ws : 0 <= part_w st) by nra.
    exists (Wa + Rabs t + Wb). unfold join. fold st.
    constructor; cbn [part_s part_c part_w]; auto; try lra.
    + apply F_RN.
    + pose proof (add_error_exact (part_w st) (part_w b) C Fb3) as R.
      rewrite (Rabs_pos_eq (part_w st + _)) in R by lra. apply Rabs_le_inv in R.
      apply Rle_trans with ((1 - u) * ((1 - u) * ((1 - u) ^ (2 * k) * Wa + Rabs t) + part_w b)); [|nra].
      replace (Wa + Rabs t + Wb) with ((Wa + Wb) + Rabs t) by ring.
      apply Rle_trans with (1 := down_factor k (Wa + Wb) (Rabs t) ltac:(lra) T).
      assert ((1 - u) * ((1 - u) ^ (2 * k) * Wb) <= part_w b).
      { apply Rle_trans with (2 := Cb). assert (0 <= (1 - u) ^ (2 * k) * Wb) by now apply Rmult_le_pos.
        nra. }
      assert (0 <= 1 - u) by lra. nra.
    + apply Rle_trans with (1 := E). apply Rmult_le_compat_l; [|lra]. apply Rlt_le, up_power_pos.
    + rewrite total_app. exact G.
Qed.

(* --- the bound --------------------------------------------------------------- *)

Lemma up_power_bound n : (1 + u) ^ n * (1 - INR n * u) <= 1.
Proof.
  pose proof u_pos as U0.
  induction n as [|n IH]; [simpl; lra|].
  rewrite S_INR. simpl pow. pose proof (up_power_pos n). pose proof (pos_INR n).
  assert (0 <= (1 + u) ^ n * (INR n * u * u + u * u)).
  { apply Rmult_le_pos; [lra|]. apply Rplus_le_le_0_compat; repeat apply Rmult_le_pos; lra. }
  nra.
Qed.

Lemma down_power_bound n : 1 - INR n * u <= (1 - u) ^ n.
Proof.
  pose proof u_pos. pose proof u_small.
  induction n as [|n IH]; [simpl; lra|].
  rewrite S_INR. simpl pow. pose proof (pos_INR n).
  assert (0 <= INR n * u * u) by (repeat apply Rmult_le_pos; lra). nra.
Qed.

(* With half a unit of 2^-53 w to spare for the computation of the bound itself. *)
Lemma computed_near n terms a : computed n terms a -> INR n <= IZR EXB_COMPENSATED_MOST ->
  Rabs (total terms - (part_s a + part_c a)) <= (INR n + 3 / 2) * u * part_w a.
Proof.
  intros H L. destruct (computed_holds _ _ _ H) as [W [_ _ _ P C _ Nr]].
  apply Rle_trans with (1 := Nr). clear Nr H.
  pose proof u_pos as U0. pose proof (pos_INR n) as N0.
  pose proof (up_power_bound n) as A. pose proof (down_power_bound (2 * n)) as B.
  pose proof (up_power_pos n) as A0.
  rewrite mult_INR in B. simpl (INR 2) in B.
  set (p := (1 + u) ^ n) in *. set (d := (1 - u) ^ (2 * n)) in *.
  set (x := INR n * u) in *. set (m := INR n) in *.
  assert (X0 : 0 <= x) by (apply Rmult_le_pos; lra).
  assert (X1 : x * m <= 1 / 8).
  { assert (m * m <= IZR EXB_COMPENSATED_MOST * IZR EXB_COMPENSATED_MOST) by nra.
    unfold x. apply Rle_trans with (u * (IZR EXB_COMPENSATED_MOST * IZR EXB_COMPENSATED_MOST)); [nra|].
    clear. unfold EXB_COMPENSATED_MOST. numbers. lra. }
  assert (X2 : x <= 1 / 128).
  { unfold x. apply Rle_trans with (IZR EXB_COMPENSATED_MOST * u); [nra|].
    clear. unfold EXB_COMPENSATED_MOST. numbers. lra. }
  assert (Q : p <= 1 + 11 / 10 * x) by nra.
  apply Rle_trans with ((m + 3 / 2) * u * (d * W)).
  2: { apply Rmult_le_compat_l; auto. apply Rmult_le_pos; lra. }
  unfold error_factor. fold m p.
  replace (u + m * u * p) with (u * (1 + m * p)) by ring.
  replace ((m + 3 / 2) * u * (d * W)) with (u * ((m + 3 / 2) * d) * W) by ring.
  apply Rmult_le_compat_r; auto. apply Rmult_le_compat_l; [lra|].
  assert (m * p <= m + 11 / 10 * (x * m)) by nra.
  assert ((m + 3 / 2) * (1 - 2 * x) <= (m + 3 / 2) * d) by (apply Rmult_le_compat_l; unfold x; lra).
  nra.
Qed.

(* One lane, whatever its length: a loop that has one lane has all terms in it. *)
Theorem one_lane_near terms : Forall (fun t => F (fst t) /\ F (snd t)) terms ->
  INR (length terms) <= IZR EXB_COMPENSATED_MOST ->
  Rabs (total terms - (part_s (run terms) + part_c (run terms))) <=
    (INR (length terms) + 2) * u * part_w (run terms).
Proof.
  intros H L. pose proof (run_computed terms H) as C.
  apply Rle_trans with (1 := computed_near _ _ _ C L).
  destruct (computed_holds _ _ _ C) as [W [_ _ _ P K _ _]].
  assert (0 <= part_w (run terms)).
  { apply Rle_trans with (2 := K). apply Rmult_le_pos; auto. apply pow_le. pose proof u_small. lra. }
  pose proof u_pos. apply Rmult_le_compat_r; auto. nra.
Qed.

(* Any schedule of lanes and joins that is n additions deep. *)
Theorem lanes_near n terms a : computed n terms a -> INR n <= IZR EXB_COMPENSATED_MOST ->
  Rabs (total terms - (part_s a + part_c a)) <= (INR n + 2) * u * part_w a.
Proof.
  intros C L. apply Rle_trans with (1 := computed_near _ _ _ C L).
  destruct (computed_holds _ _ _ C) as [W [_ _ _ P K _ _]].
  assert (0 <= part_w a).
  { apply Rle_trans with (2 := K). apply Rmult_le_pos; auto. apply pow_le. pose proof u_small. lra. }
  pose proof u_pos. apply Rmult_le_compat_r; auto. nra.
Qed.

(* w = 0: nothing was left out, and ties may be decided by s + c. *)
Theorem nothing_left_out n terms a : computed n terms a -> INR n <= IZR EXB_COMPENSATED_MOST ->
  part_w a = 0 -> total terms = part_s a + part_c a.
Proof.
  intros C L Z. pose proof (lanes_near _ _ _ C L) as E. rewrite Z, Rmult_0_r in E.
  apply Rminus_diag_uniq. destruct (Req_dec (total terms - (part_s a + part_c a)) 0) as [D|D]; auto.
  apply Rabs_pos_lt in D. lra.
Qed.

(* The bound as it is computed, with what products may have lost, which the terms do not have. *)
(* C: lib/core/arith/compensated.h
   v.e = exb_bound_up((double)(n + 2) * (0x1p-53 * w) + (exact_terms ? 0 : EXB_PRODUCT_LOSS)); *)
(* C: lib/core/arith/enclosure.h
   return e * EXB_BOUND_UP; *)
Definition bound (n : nat) (w loss : R) :=
  RN (RN (RN ((INR n + 2) * RN (u * w)) + loss) * F2R EXB_BOUND_UP).

Lemma bound_enough n w loss : INR n <= IZR EXB_COMPENSATED_MOST -> 0 <= w -> F loss -> 0 <= loss ->
  (INR n + 3 / 2) * u * w + loss <= bound n w loss + slack.
Proof.
  intros L W0 Fl L0. unfold bound. pose proof u_pos as U0. pose proof u_small as U1.
  pose proof (pos_INR n) as N0. pose proof eta_pos as T0.
  assert (B0 : 1 <= F2R EXB_BOUND_UP <= 2).
  { unfold EXB_BOUND_UP, F2R. cbn [Fnum Fexp]. numbers. lra. }
  assert (UW : 0 <= u * w) by (apply Rmult_le_pos; lra).
  pose proof (round_error (u * w)) as R1. rewrite (Rabs_pos_eq (u * w)) in R1 by easy.
  pose proof (RN_pos _ UW) as P1. set (y := RN (u * w)) in *.
  assert (NY : 0 <= (INR n + 2) * y) by (apply Rmult_le_pos; lra).
  pose proof (round_error ((INR n + 2) * y)) as R2. rewrite (Rabs_pos_eq ((INR n + 2) * y)) in R2 by easy.
  pose proof (RN_pos _ NY) as P2. pose proof (F_RN ((INR n + 2) * y)) as F2.
  set (z := RN ((INR n + 2) * y)) in *.
  pose proof (add_error_exact z loss F2 Fl) as R3. rewrite (Rabs_pos_eq (z + loss)) in R3 by lra.
  assert (P3 : 0 <= RN (z + loss)) by (apply RN_pos; lra). set (v := RN (z + loss)) in *.
  assert (VB : 0 <= v * F2R EXB_BOUND_UP) by (apply Rmult_le_pos; lra).
  pose proof (round_error (v * F2R EXB_BOUND_UP)) as R4. rewrite (Rabs_pos_eq (v * _)) in R4 by easy.
  apply Rabs_le_inv in R1, R2, R3, R4. set (r := RN (v * F2R EXB_BOUND_UP)) in *.
  set (b := F2R EXB_BOUND_UP) in *. set (m := INR n) in *.
  assert (Up : 1 <= (1 - u) * (1 - u) * b).
  { clear. unfold b, EXB_BOUND_UP, F2R. cbn [Fnum Fexp]. numbers. lra. }
  assert (S1 : z + loss - eta <= r).
  { assert ((1 - u) * (z + loss) <= v) by lra.
    assert ((1 - u) * b * ((1 - u) * (z + loss)) <= (1 - u) * b * v) by (apply Rmult_le_compat_l; nra).
    assert (z + loss <= (1 - u) * (1 - u) * b * (z + loss)) by nra. lra. }
  assert (S2 : (m + 2) * ((1 - u) * (1 - u)) * (u * w) - (m + 3) * eta <= z).
  { assert ((1 - u) * (u * w) - eta <= y) by lra.
    assert ((1 - u) * (m + 2) * ((1 - u) * (u * w) - eta) <= (1 - u) * (m + 2) * y)
      by (apply Rmult_le_compat_l; nra).
    assert (0 <= u * (m + 2) * eta) by (repeat apply Rmult_le_pos; lra). lra. }
  assert (S3 : m + 3 / 2 <= (m + 2) * ((1 - u) * (1 - u))).
  { assert (2 * u * (m + 2) <= 1 / 2).
    { apply Rle_trans with (2 * u * (IZR EXB_COMPENSATED_MOST + 2)); [nra|].
      clear. unfold EXB_COMPENSATED_MOST. numbers. lra. }
    assert (0 <= u * u * (m + 2)) by (repeat apply Rmult_le_pos; lra). lra. }
  assert (S4 : (m + 4) * eta <= slack).
  { apply Rle_trans with ((IZR EXB_COMPENSATED_MOST + 4) * eta); [nra|].
    clear. unfold EXB_COMPENSATED_MOST, slack, EXB_UNDERFLOW_LOSS, F2R. cbn [Fnum Fexp]. numbers. lra. }
  assert ((m + 3 / 2) * (u * w) <= (m + 2) * ((1 - u) * (1 - u)) * (u * w))
    by (apply Rmult_le_compat_r; lra).
  lra.
Qed.

(* From terms to the result: what the rounding test accepts of a compensated sum is the sum, rounded
   once. X is the exact sum, also of products that lost up to `loss` in all. *)
Theorem compensated_sum_rounds n terms a X loss h l e r :
  computed n terms a -> INR n <= IZR EXB_COMPENSATED_MOST ->
  F loss -> Rabs (X - total terms) <= loss ->
  B2R h = part_s a -> B2R l = part_c a -> B2R e = bound n (part_w a) loss ->
  certify_d h l e = Some r -> rounds_to X r.
Proof.
  intros C L Fl HX Hh Hl He H.
  destruct (computed_holds _ _ _ C) as [W [_ _ _ P K _ _]].
  assert (W0 : 0 <= part_w a).
  { apply Rle_trans with (2 := K). apply Rmult_le_pos; auto. apply pow_le. pose proof u_small. lra. }
  assert (L0 : 0 <= loss) by (apply Rle_trans with (2 := HX); apply Rabs_pos).
  pose proof (bound_enough n (part_w a) loss L W0 Fl L0) as B.
  assert (B0 : 0 <= bound n (part_w a) loss).
  { unfold bound. pose proof u_pos. pose proof (pos_INR n).
    assert (0 <= F2R EXB_BOUND_UP) by (apply F2R_ge_0; easy).
    apply RN_pos, Rmult_le_pos; auto. apply RN_pos, Rplus_le_le_0_compat; auto.
    apply RN_pos, Rmult_le_pos; [lra|]. apply RN_pos, Rmult_le_pos; lra. }
  apply (certified_d h l e r H); [lra|]. rewrite Hh, Hl, He.
  replace (X - (part_s a + part_c a)) with
    ((X - total terms) + (total terms - (part_s a + part_c a))) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  pose proof (computed_near _ _ _ C L). lra.
Qed.

(* 2^50 products that lose 2^-1070 each, the most that two_prod may without FMA. *)
Theorem product_loss_covers : IZR (2 ^ 50) * pow2 (-1070) <= F2R EXB_PRODUCT_LOSS.
Proof. unfold EXB_PRODUCT_LOSS, F2R. cbn [Fnum Fexp]. numbers. lra. Qed.
