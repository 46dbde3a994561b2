(* Anchored sums and dot products: Lemmas A and B of lib/core/arith/anchor.h, for any number of terms
   a lane, and lanes that are added up.

   One text for both: a term is a real number x, for sums a double, for products that which the FMA
   sees. For sums all |x| <= 2^g is known, for products that of all computed q. Products have one case
   more than sums: where a lane is full and all q are 2^g, the last sum may round down to 2^(e+1) by up
   to U instead of U / 2. It can happen once a lane, and only after as many terms as fit. *)
From Coq Require Import ZArith Reals Lra Lia.
From Flocq Require Import Core Sterbenz.
From ExBLAS Require Import Base Constants.

Open Scope R_scope.

Section Anchor.
Variables e g : Z.
Hypothesis e_range : (-900 <= e)%Z.
Hypothesis room : (g + 7 <= e <= g + 52)%Z.

Notation U := (pow2 (e - 52)).
Notation G := (pow2 g).
(* C: lib/core/arith/anchor.h
   return 1.5 * exb_pow2(g + EXB_ANCHOR_NU + 1); *)
Definition sigma := 3 / 2 * pow2 e.

(* A lane after n terms of the exact sum X. *)
(* C: lib/level1/kernels/anchored_steps.h
   exb_v t = v_add_by_fma(x, a.s);
   exb_v q = v_sub(t, a.s);
   a.c = v_add(a.c, v_sub_by_fma(x, q));
   exb_v t = v_fma(x, y, *s), q = v_sub(t, *s), low = v_fms(x, y, q);
   *c = v_add(low, *c); *)
Inductive lane : nat -> R -> R -> R -> Prop :=
| lane_start : lane 0 0 sigma 0
| lane_term n X s c x : lane n X s c ->
    INR (S n) * G <= pow2 (e - 1) ->
    Rabs x <= G \/ Rabs (RN (RN (s + x) - s)) <= G ->
    lane (S n) (X + x) (RN (s + x)) (RN (c + RN (x - RN (RN (s + x) - s)))).

Lemma U_pos : 0 < U.
Proof. apply bpow_gt_0. Qed.

Lemma binade : pow2 e = 2 * pow2 (e - 1) /\ pow2 (e + 1) = 2 * pow2 e /\
  pow2 (e + 2) = 4 * pow2 e /\ pow2 (e - 53) = U / 2 /\ pow2 (e - 107) = u * U / 4 /\
  pow2 (e - 106) = u * U / 2.
Proof.
  assert (D : forall k, pow2 (k + 1) = 2 * pow2 k) by (intros k; rewrite bpow_plus; simpl; lra).
  unfold u. rewrite <- bpow_plus.
  pose proof (D (e - 1)%Z) as A. pose proof (D (e + 1)%Z) as B. pose proof (D (e - 53)%Z) as C.
  pose proof (D (e - 106)%Z) as H. pose proof (D (e - 107)%Z) as I.
  replace (e - 1 + 1)%Z with e in A by ring. replace (e + 1 + 1)%Z with (e + 2)%Z in B by ring.
  replace (e - 53 + 1)%Z with (e - 52)%Z in C by ring.
  replace (e - 106 + 1)%Z with (-53 + (e - 52))%Z in H by ring.
  replace (e - 107 + 1)%Z with (e - 106)%Z in I by ring.
  rewrite D in B. rewrite D. repeat split; lra.
Qed.

Lemma F_pow k : (-1074 <= k)%Z -> F (pow2 k).
Proof. intros H. apply generic_format_bpow. unfold FLT_exp. lia. Qed.

(* In the anchor's binade rounding is to a multiple of U. *)
Lemma rounded_in_binade y : pow2 e <= RN y <= pow2 (e + 1) ->
  Rabs (RN y - y) <= U /\
  (RN y < pow2 (e + 1) \/ y <= pow2 (e + 1) -> Rabs (RN y - y) <= U / 2).
Proof.
  intros [L H]. destruct binade as [B1 [B2 [B3 [B4 _]]]]. pose proof U_pos as U0.
  assert (P : 0 < pow2 e) by apply bpow_gt_0.
  assert (Y0 : 0 < y).
  { apply Rnot_le_lt. intros N. apply RN_le in N. rewrite RN_0 in N. lra. }
  assert (Y2 : y <= pow2 (e + 2)).
  { apply Rnot_lt_le. intros N. apply Rlt_le, RN_le in N. rewrite RN_F in N by (apply F_pow; lia). lra. }
  split.
  - replace U with (pow2 (e + 2 - 54)) by (f_equal; ring).
    apply round_error_below; [rewrite Rabs_pos_eq; lra|lia].
  - intros T. rewrite <- B4. replace (e - 53)%Z with (e + 1 - 54)%Z by ring.
    apply round_error_below; [rewrite Rabs_pos_eq by lra|lia].
    destruct T as [T|T]; auto. apply Rnot_lt_le. intros N.
    apply Rlt_le, RN_le in N. rewrite RN_F in N by (apply F_pow; lia). lra.
Qed.

Lemma difference_exact s t : F s -> F t -> pow2 e <= s <= pow2 (e + 1) ->
  pow2 e <= t <= pow2 (e + 1) -> RN (t - s) = t - s.
Proof.
  intros Fs Ft Hs Ht. destruct binade as [_ [B2 _]]. apply RN_F.
  apply sterbenz; auto with typeclass_instances. lra.
Qed.

Lemma on_grid s : F s -> pow2 e <= s <= pow2 (e + 1) -> exists k, s = IZR k * U.
Proof.
  intros Fs Hs. destruct (Req_dec s (pow2 (e + 1))) as [E|E].
  - exists (2 ^ 53)%Z. change (IZR (2 ^ 53)) with (pow2 53).
    rewrite <- bpow_plus, E. f_equal. ring.
  - exists (Ztrunc (scaled_mantissa radix2 fexp64 s)).
    rewrite Fs at 1. unfold F2R. cbn [Fnum Fexp]. do 2 f_equal.
    unfold cexp. rewrite (mag_unique_pos radix2 s (e + 1)).
    + unfold FLT_exp. lia.
    + replace (e + 1 - 1)%Z with e by ring. lra.
Qed.

(* s + 2^g and s - 2^g are doubles: rounding does not pass them. *)
Lemma grid_number s d : F s -> pow2 e <= s <= pow2 (e + 1) -> Rabs d = G ->
  pow2 e <= s + d <= pow2 (e + 1) -> F (s + d).
Proof.
  intros Fs Hs Hd Hsd. destruct binade as [_ [B2 _]].
  assert (P : 0 < pow2 e) by apply bpow_gt_0.
  assert (K := on_grid s Fs Hs).
  assert (D : exists m, d = IZR m * U).
  { assert (E : G = IZR (2 ^ (g - (e - 52))) * U).
    { rewrite (IZR_Zpower radix2) by lia. rewrite <- bpow_plus. f_equal. ring. }
    destruct (Rcase_abs d) as [N|N].
    - exists (- 2 ^ (g - (e - 52)))%Z. rewrite opp_IZR. rewrite Rabs_left in Hd by easy. lra.
    - exists (2 ^ (g - (e - 52)))%Z. rewrite Rabs_right in Hd by easy. lra. }
  destruct K as [k K], D as [m D]. rewrite K, D, <- Rmult_plus_distr_r, <- plus_IZR in *.
  apply F_int; [|lia].
  assert (T : pow2 (e + 1) = IZR (2 ^ 53) * U).
  { change (IZR (2 ^ 53)) with (pow2 53). rewrite <- bpow_plus. f_equal. ring. }
  pose proof U_pos as U0. rewrite T in Hsd.
  assert (0 <= IZR (k + m)) by nra. assert (IZR (k + m) <= IZR (2 ^ 53)) by nra.
  apply le_IZR in H, H0. lia.
Qed.

Lemma sum_step_small s x : F s -> pow2 e <= s <= pow2 (e + 1) -> Rabs x <= G ->
  pow2 e <= s + G <= pow2 (e + 1) -> pow2 e <= s - G <= pow2 (e + 1) ->
  Rabs (RN (s + x) - s) <= G.
Proof.
  intros Fs Hs Hx Hu Hl. apply Rabs_le_inv in Hx. pose proof (bpow_gt_0 radix2 g) as G0.
  assert (RN (s + x) <= s + G).
  { rewrite <- (RN_F (s + G)); [apply RN_le; lra|].
    apply grid_number; auto. apply Rabs_pos_eq. lra. }
  assert (s - G <= RN (s + x)).
  { rewrite <- (RN_F (s - G)); [apply RN_le; lra|].
    apply grid_number; auto. rewrite Rabs_Ropp. apply Rabs_pos_eq. lra. }
  apply Rabs_le. lra.
Qed.

(* Where the next s is, and what it leaves of x. *)
Lemma step_in_binade n s x : F s -> Rabs (s - sigma) <= INR n * G ->
  INR (S n) * G <= pow2 (e - 1) ->
  Rabs x <= G \/ Rabs (RN (RN (s + x) - s)) <= G ->
  Rabs (RN (s + x) - sigma) <= INR (S n) * G /\
  RN (RN (s + x) - s) = RN (s + x) - s /\
  Rabs (s + x - RN (s + x)) <= U /\
  (Rabs (s + x - RN (s + x)) <= U / 2 \/ INR (S n) * G = pow2 (e - 1)).
Proof.
  intros Fs Hs Hn Hx. destruct binade as [B1 [B2 [B3 [B4 _]]]].
  rewrite S_INR in *. pose proof (bpow_gt_0 radix2 g) as G0. pose proof (pos_INR n) as N0.
  assert (NG : 0 <= INR n * G) by (apply Rmult_le_pos; lra).
  apply Rabs_le_inv in Hs. unfold sigma in *.
  assert (Sr : pow2 e <= s <= pow2 (e + 1)) by lra.
  assert (T : Rabs (RN (s + x) - s) <= G /\ RN (RN (s + x) - s) = RN (s + x) - s /\
              (Rabs x <= G -> s + x <= pow2 (e + 1))).
  { destruct Hx as [Hx|Hq].
    - assert (D : Rabs (RN (s + x) - s) <= G) by (apply sum_step_small; auto; lra).
      split; [exact D|]. apply Rabs_le_inv in Hx, D.
      split; [apply difference_exact; auto; [apply F_RN|lra]|intros _; lra].
    - assert (Ft : F (RN (s + x))) by apply F_RN.
      assert (H2 : pow2 (g + 1) = 2 * G) by (rewrite bpow_plus; simpl; lra).
      assert (K : pow2 (g + 1) <= pow2 (e - 1)) by (apply bpow_le; lia).
      assert (Fg : F (pow2 (g + 1))) by (apply F_pow; lia).
      assert (Near : s / 2 <= RN (s + x) <= 2 * s).
      { split; apply Rnot_lt_le; intros N.
        - assert (L : RN (RN (s + x) - s) <= - pow2 (g + 1)).
          { rewrite <- (RN_F (- pow2 (g + 1))) by now apply F_opp. apply RN_le. lra. }
          rewrite Rabs_left1 in Hq by lra. lra.
        - assert (L : pow2 (g + 1) <= RN (RN (s + x) - s)).
          { rewrite <- (RN_F (pow2 (g + 1))) at 1 by easy. apply RN_le. lra. }
          rewrite Rabs_pos_eq in Hq by lra. lra. }
      assert (Q : RN (RN (s + x) - s) = RN (s + x) - s).
      { apply RN_F, sterbenz; auto with typeclass_instances. }
      rewrite Q in Hq. split; [exact Hq|]. split; [exact Q|].
      intros Hx. apply Rabs_le_inv in Hx. lra. }
  destruct T as [D [Q A]]. apply Rabs_le_inv in D.
  assert (R : pow2 e <= RN (s + x) <= pow2 (e + 1)) by lra.
  destruct (rounded_in_binade (s + x) R) as [W T].
  rewrite <- Rabs_Ropp, Ropp_minus_distr in W, T.
  split; [apply Rabs_le; lra|]. split; [exact Q|]. split; [exact W|].
  destruct (Rle_lt_or_eq_dec _ _ (proj2 R)) as [L|E]; [left; auto|].
  destruct (Req_dec ((INR n + 1) * G) (pow2 (e - 1))) as [Z|Z]; [now right|]. lra.
Qed.

(* The invariant of a lane. The second case ends it: no further term fits. *)
Definition err (a : R) := u * U * a.

Lemma lane_holds n X s c : lane n X s c -> (Z.of_nat n < 2 ^ 46)%Z ->
  F s /\ F c /\ Rabs (s - sigma) <= INR n * G /\
  (Rabs c <= INR n * (U / 2) /\
   Rabs (X - ((s - sigma) + c)) <= err ((INR n * INR n + 2 * INR n) / 4) \/
   Rabs c <= (INR n + 1) * (U / 2) /\ INR n * G = pow2 (e - 1) /\
   Rabs (X - ((s - sigma) + c)) <= err ((INR n * INR n + 2 * INR n + 3) / 4)).
Proof.
  destruct binade as [B1 [B2 [B3 [B4 [B5 B6]]]]]. pose proof U_pos as U0. pose proof u_pos as u0.
  induction 1 as [|n X s c x L IH Hn Hx]; intros Small.
  - assert (Fs : F sigma).
    { unfold sigma. replace (3 / 2 * pow2 e) with (IZR 3 * pow2 (e - 1)) by lra.
      apply F_int; lia. }
    split; [exact Fs|]. split; [apply F_0|]. simpl INR. rewrite !Rmult_0_l, Rminus_diag_eq, Rabs_R0 by easy.
    split; [lra|]. left. unfold err. rewrite Rplus_0_r, Rminus_diag_eq, Rabs_R0 by easy.
    lra.
  - destruct (IH ltac:(lia)) as [Fs [Fc [Hs C]]]. clear IH.
    destruct (step_in_binade n s x Fs Hs Hn Hx) as [T [Q [R1 R2]]].
    set (t := RN (s + x)) in *. rewrite Q.
    assert (Ft : F t) by apply F_RN.
    split; [exact Ft|]. split; [apply F_RN|]. split; [exact T|].
    rewrite S_INR in *. pose proof (pos_INR n) as N0. pose proof (bpow_gt_0 radix2 g) as G0.
    destruct C as [[C E]|[_ [C _]]]; [|lra].
    set (r := RN (x - (t - s))).
    assert (Fr : F r) by apply F_RN.
    replace (s + x - t) with (x - (t - s)) in R1, R2 by ring.
    assert (Ec := add_error_exact c r Fc Fr). set (c' := RN (c + r)) in *.
    assert (Step : forall rho k, Rabs r <= rho -> Rabs (r - (x - (t - s))) <= err k ->
              Rabs c' <= INR n * (U / 2) + rho -> 
              Rabs (X + x - ((t - sigma) + c')) <=
              err ((INR n * INR n + 2 * INR n) / 4) + err k + u * (INR n * (U / 2) + rho)).
    { intros rho k H1 H2 _.
      replace (X + x - ((t - sigma) + c')) with
        ((X - ((s - sigma) + c)) + (- (r - (x - (t - s)))) + (- (c' - (c + r)))) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp.
      apply Rplus_le_compat.
      - apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp. lra.
      - apply Rle_trans with (1 := Ec). apply Rmult_le_compat_l; [lra|].
        apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    assert (Bound : forall rho m, Rabs r <= rho -> (m <= n + 2)%nat ->
              INR n * (U / 2) + rho <= INR m * (U / 2) -> Rabs c' <= INR m * (U / 2)).
    { intros rho m H1 Hm H2. apply RN_abs_le.
      - rewrite <- B4, INR_IZR_INZ. apply F_int; lia.
      - apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    destruct R2 as [R2|Full].
    + left.
      assert (Hr : Rabs r <= U / 2) by (apply RN_abs_le; [rewrite <- B4; apply F_pow; lia|exact R2]).
      assert (Hd : Rabs (r - (x - (t - s))) <= err (1 / 4)).
      { unfold err. replace (u * U * (1 / 4)) with (u * U / 4) by field. rewrite <- B5.
        replace (e - 107)%Z with (e - 53 - 54)%Z by ring.
        apply round_error_below; [rewrite B4; exact R2|lia]. }
      assert (Hc : Rabs c' <= INR (S n) * (U / 2)).
      { apply (Bound (U / 2)); [exact Hr|lia|rewrite S_INR; lra]. }
      rewrite S_INR in Hc. split; [exact Hc|].
      apply Rle_trans with (1 := Step (U / 2) (1 / 4) Hr Hd ltac:(lra)).
      unfold err. apply Req_le. field.
    + right.
      assert (Hr : Rabs r <= U) by (apply RN_abs_le; [apply F_pow; lia|exact R1]).
      assert (Hd : Rabs (r - (x - (t - s))) <= err (1 / 2)).
      { unfold err. replace (u * U * (1 / 2)) with (u * U / 2) by field. rewrite <- B6.
        replace (e - 106)%Z with (e - 52 - 54)%Z by ring.
        apply round_error_below; [exact R1|lia]. }
      assert (Hc : Rabs c' <= INR (S (S n)) * (U / 2)).
      { apply (Bound U); [exact Hr|lia|rewrite !S_INR; lra]. }
      rewrite !S_INR in Hc. split; [exact Hc|]. split; [exact Full|].
      apply Rle_trans with (1 := Step U (1 / 2) Hr Hd ltac:(lra)).
      unfold err. apply Req_le. field.
Qed.

(* The two cases in one, n terms fill a lane only if they are at least 64. *)
Theorem lane_near n X s c : lane n X s c -> (Z.of_nat n < 2 ^ 46)%Z ->
  F c /\ Rabs c <= 65 / 64 * INR n * (U / 2) /\
  Rabs (X - ((s - sigma) + c)) <= err (INR n * (INR n + 2 + 1 / 16) / 4).
Proof.
  intros L Small. pose proof U_pos as U0. pose proof u_pos as u0. pose proof (pos_INR n) as N0.
  destruct (lane_holds n X s c L Small) as [_ [Fc [_ [[C E]|[C [Full E]]]]]].
  - split; [exact Fc|]. split; [nra|].
    apply Rle_trans with (1 := E). unfold err. apply Rmult_le_compat_l; [|nra].
    apply Rmult_le_pos; lra.
  - assert (N : 64 <= INR n).
    { apply Rmult_le_reg_r with G; [apply bpow_gt_0|]. rewrite Full.
      change 64 with (pow2 6). rewrite <- bpow_plus. apply bpow_le. lia. }
    split; [exact Fc|]. split; [nra|].
    apply Rle_trans with (1 := E). unfold err. apply Rmult_le_compat_l; [|nra].
    apply Rmult_le_pos; lra.
Qed.

(* A zero that fills a vector changes nothing and does not count as a term. *)
Theorem zero_changes_nothing s c : F s -> F c ->
  RN (s + 0) = s /\ RN (c + RN (0 - RN (RN (s + 0) - s))) = c.
Proof.
  intros Fs Fc. rewrite Rplus_0_r, (RN_F s Fs). split; auto.
  replace (s - s) with 0 by ring. rewrite RN_0, Rminus_0_r, RN_0, Rplus_0_r. now apply RN_F.
Qed.

(* What a lane adds up, as a multiple of U. *)
Lemma lane_sum n X s c : lane n X s c -> (Z.of_nat n < 2 ^ 46)%Z ->
  Rabs (s - sigma) <= INR n * G /\ exists k, s - sigma = IZR k * U.
Proof.
  intros L Small. destruct (lane_holds n X s c L Small) as [Fs [_ [Hs _]]].
  destruct binade as [B1 [B2 _]]. split; [exact Hs|].
  assert (R : pow2 e <= s <= pow2 (e + 1)).
  { assert (P : 0 < pow2 (e - 1)) by apply bpow_gt_0.
    assert (Hn : INR n * G <= pow2 (e - 1)).
    { destruct L as [|n X s c x _ H _]; [simpl INR; lra|exact H]. }
    apply Rabs_le_inv in Hs. unfold sigma in *. lra. }
  destruct (on_grid s Fs R) as [k K]. exists (k - 3 * 2 ^ 51)%Z.
  rewrite minus_IZR, Rmult_minus_distr_r, <- K. f_equal.
  rewrite mult_IZR. change (IZR (2 ^ 51)) with (pow2 51).
  rewrite Rmult_assoc, <- bpow_plus. replace (51 + (e - 52))%Z with (e - 1)%Z by ring.
  unfold sigma. lra.
Qed.

(* Lanes of at most N terms, and sums of their s - sigma and of their c, depth additions deep, but for that to 0. *)
(* C: lib/level1/kernels/anchor_tmpl.c
   a[j].s = v_sub(a[j].s, sigma);
   a[0] = (anchored_lanes){v_add(a[0].s, a[j].s), v_add(a[0].c, a[j].c),
   a[0] = (anchored_lanes){v_add(a[0].s, v_swap(a[0].s, half)),
   v_add(a[0].c, v_swap(a[0].c, half)),
   out->sum += out[1].sum;
   out->c += out[1].c;
   _Static_assert(EXB_CHUNK <= 2 << EXB_ANCHOR_NU, "the sum of all lanes is exact"); *)
Inductive lanes (N : nat) : nat -> nat -> R -> R -> R -> Prop :=
| one_lane n X s c : lane n X s c -> (n <= N)%nat -> lanes N 0 n X (RN (s - sigma)) c
| two_lanes d d' n n' X X' K K' c c' : lanes N d n X K c -> lanes N d' n' X' K' c' ->
    lanes N (S (max d d')) (n + n') (X + X') (RN (K + K')) (RN (c + c')).

(* Multiples of U up to 2^e are added exactly. *)
Lemma grid_sum x m : x = IZR m * U -> Rabs x <= pow2 e -> RN x = x.
Proof.
  intros E H. pose proof U_pos as U0. apply RN_F. rewrite E. apply F_int; [|lia].
  apply le_IZR. rewrite abs_IZR. apply Rmult_le_reg_r with U; auto.
  rewrite <- (Rabs_pos_eq U) at 1 by lra. rewrite <- Rabs_mult, <- E.
  apply Rle_trans with (1 := H). change (IZR (2 ^ 53)) with (pow2 53).
  rewrite <- bpow_plus. apply bpow_le. lia.
Qed.

Lemma sums_exact N d n X K c : lanes N d n X K c -> (Z.of_nat n < 2 ^ 46)%Z ->
  INR n * G <= pow2 e -> Rabs K <= INR n * G /\ exists k, K = IZR k * U.
Proof.
  pose proof (bpow_gt_0 radix2 g) as G0.
  induction 1 as [n X s c L LN|d d' n n' X X' K K' c c' _ IH _ IH']; intros Small H.
  - destruct (lane_sum n X s c L Small) as [B [k E]].
    rewrite (grid_sum (s - sigma) k E) by lra. eauto.
  - rewrite plus_INR in *.
    assert (P : 0 <= INR n * G) by (apply Rmult_le_pos; [apply pos_INR|lra]).
    assert (P' : 0 <= INR n' * G) by (apply Rmult_le_pos; [apply pos_INR|lra]).
    destruct (IH ltac:(lia) ltac:(lra)) as [B [k E]].
    destruct (IH' ltac:(lia) ltac:(lra)) as [B' [k' E']].
    assert (T : Rabs (K + K') <= (INR n + INR n') * G).
    { apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    assert (M : K + K' = IZR (k + k') * U) by (rewrite plus_IZR, E, E'; ring).
    rewrite (grid_sum (K + K') (k + k') M) by lra. eauto.
Qed.

Lemma lanes_near N d n X K c : lanes N d n X K c -> (Z.of_nat n < 2 ^ 46)%Z ->
  INR n * G <= pow2 e ->
  F c /\ Rabs c <= 65 / 64 * INR n * (U / 2) /\
  Rabs (X - (K + c)) <= err (INR n * ((INR N + 2 + 1 / 16) / 4 + 65 / 128 * INR d)).
Proof.
  pose proof U_pos as U0. pose proof u_pos as u0.
  assert (uU : 0 <= u * U) by (apply Rmult_le_pos; lra).
  pose proof (bpow_gt_0 radix2 g) as G0.
  induction 1 as [n X s c L LN|d d' n n' X X' K K' c c' L IH L' IH']; intros Small All.
  - destruct (lane_sum n X s c L Small) as [Bs [k Es]].
    rewrite (grid_sum (s - sigma) k Es) by lra.
    destruct (lane_near n X s c L Small) as [Fc [C E]]. split; [exact Fc|]. split; [exact C|].
    apply Rle_trans with (1 := E). unfold err. apply Rmult_le_compat_l; auto.
    apply le_INR in LN. pose proof (pos_INR n). simpl (INR 0). nra.
  - rewrite plus_INR in All.
    assert (P : 0 <= INR n * G) by (apply Rmult_le_pos; [apply pos_INR|lra]).
    assert (P' : 0 <= INR n' * G) by (apply Rmult_le_pos; [apply pos_INR|lra]).
    assert (All1 : INR n * G <= pow2 e) by lra. assert (All2 : INR n' * G <= pow2 e) by lra.
    destruct (IH ltac:(lia) All1) as [Fc [C E]]. destruct (IH' ltac:(lia) All2) as [Fc' [C' E']].
    destruct (sums_exact N d n X K c L ltac:(lia) All1) as [Bk [k Ek]].
    destruct (sums_exact N d' n' X' K' c' L' ltac:(lia) All2) as [Bk' [k' Ek']].
    rewrite (grid_sum (K + K') (k + k')).
    2: { rewrite plus_IZR, Ek, Ek'. ring. }
    2: { apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    rewrite plus_INR, S_INR.
    assert (S : Rabs (c + c') <= 65 / 64 * (INR n + INR n') * (U / 2)).
    { apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    split; [apply F_RN|]. split.
    + apply RN_abs_le; [|exact S].
      replace (65 / 64 * (INR n + INR n') * (U / 2)) with (IZR (65 * Z.of_nat (n + n')) * pow2 (e - 59)).
      * apply F_int; lia.
      * rewrite mult_IZR, <- INR_IZR_INZ, plus_INR.
        replace (e - 59)%Z with (-7 + (e - 52))%Z by ring. rewrite bpow_plus.
        change (pow2 (-7)) with (/ 128). field.
    + pose proof (add_error_exact c c' Fc Fc') as A.
      assert (M : INR d <= INR (max d d')) by (apply le_INR; lia).
      assert (M' : INR d' <= INR (max d d')) by (apply le_INR; lia).
      set (m := INR (max d d')) in *. pose proof (pos_INR n). pose proof (pos_INR n').
      replace (X + X' - (K + K' + RN (c + c'))) with
        ((X - (K + c)) + (X' - (K' + c')) + (- (RN (c + c') - (c + c')))) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp.
      apply Rle_trans with (err (INR n * ((INR N + 2 + 1 / 16) / 4 + 65 / 128 * m)) +
        err (INR n' * ((INR N + 2 + 1 / 16) / 4 + 65 / 128 * m)) +
        u * (65 / 64 * (INR n + INR n') * (U / 2))).
      * apply Rplus_le_compat.
        -- apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat.
           ++ apply Rle_trans with (1 := E). unfold err. apply Rmult_le_compat_l; auto. nra.
           ++ apply Rle_trans with (1 := E'). unfold err. apply Rmult_le_compat_l; auto. nra.
        -- apply Rle_trans with (1 := A). apply Rmult_le_compat_l; lra.
      * unfold err. apply Req_le. field.
Qed.

(* E of anchor.h, where additions of the lanes' c are at most EXB_ANCHOR_DEPTH deep, and all lanes
   together have no more terms than fill two. *)
Theorem anchored_near N d n X K c : lanes N d n X K c -> (Z.of_nat n < 2 ^ 46)%Z ->
  INR n * G <= pow2 e ->
  (Z.of_nat d <= EXB_ANCHOR_DEPTH)%Z ->
  Rabs (X - (K + c)) <= INR n * u * U * ((INR N + 3) / 4 + IZR EXB_ANCHOR_DEPTH / 2).
Proof.
  intros L Small All Hd. destruct (lanes_near N d n X K c L Small All) as [_ [_ E]].
  apply Rle_trans with (1 := E). unfold err.
  replace (INR n * u * U * ((INR N + 3) / 4 + IZR EXB_ANCHOR_DEPTH / 2)) with
    (u * U * (INR n * ((INR N + 3) / 4 + IZR EXB_ANCHOR_DEPTH / 2))) by ring.
  pose proof U_pos as U0. pose proof u_pos as u0.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
  apply Rmult_le_compat_l; [apply pos_INR|].
  apply IZR_le in Hd. rewrite <- INR_IZR_INZ in Hd. unfold EXB_ANCHOR_DEPTH in *. lra.
Qed.
End Anchor.

(* The anchor for terms up to 2^g: 2^NU of them fit in a lane, twice as many in all lanes, and the
   ranges hold that the section asks for. *)
Theorem anchor_has_room g n all : (EXB_ANCHOR_MIN_G <= g)%Z ->
  (Z.of_nat n <= 2 ^ EXB_ANCHOR_NU)%Z -> (Z.of_nat all <= 2 * 2 ^ EXB_ANCHOR_NU)%Z ->
  let e := (g + EXB_ANCHOR_NU + 1)%Z in
  (-900 <= e)%Z /\ (g + 7 <= e <= g + 52)%Z /\ INR n * pow2 g <= pow2 (e - 1) /\
  INR all * pow2 g <= pow2 e.
Proof.
  intros Hg Hn Ha e. unfold e, EXB_ANCHOR_MIN_G, EXB_ANCHOR_NU in *. split; [lia|]. split; [lia|].
  assert (D : forall m k, (Z.of_nat m <= 2 ^ k)%Z -> (0 <= k)%Z -> INR m * pow2 g <= pow2 (k + g)).
  { intros m k H K. rewrite bpow_plus. apply Rmult_le_compat_r; [apply bpow_ge_0|].
    rewrite INR_IZR_INZ, <- (IZR_Zpower radix2) by exact K. now apply IZR_le. }
  split.
  - replace (g + 11 + 1 - 1)%Z with (11 + g)%Z by ring. now apply D.
  - replace (g + 11 + 1)%Z with (12 + g)%Z by ring. now apply D.
Qed.
