(* The residue engine (lib/level3/residue.h, residue_operands_tmpl.c): residues determine an integer, the
   multiple of P is found, what rounding left out is bounded, and sums of bytes fit. *)
From Coq Require Import ZArith Znumtheory Reals Lra Lia List Bool.
From Flocq Require Import Core.
From ExBLAS Require Import Constants.
Import ListNotations.

(* --- residues ------------------------------------------------------------------ *)

Open Scope Z_scope.

Definition product (l : list Z) := fold_right Z.mul 1 l.

Fixpoint coprime (l : list Z) : Prop :=
  match l with
  | [] => True
  | p :: rest => Forall (fun q => Z.gcd p q = 1) rest /\ coprime rest
  end.

Fixpoint coprime_check (l : list Z) : bool :=
  match l with
  | [] => true
  | p :: rest => forallb (fun q => Z.gcd p q =? 1) rest && coprime_check rest
  end.

Lemma coprime_checked l : coprime_check l = true -> coprime l.
Proof.
  induction l as [|p l IH]; simpl; auto. intros H. apply andb_prop in H. destruct H as [A B].
  split; auto. apply Forall_forall. intros q Hq. rewrite forallb_forall in A.
  now apply Z.eqb_eq, A.
Qed.

(* The moduli of the library are coprime, bytes, and the least product of EXB_MODULI_MIN is enough
   for a thousandth of sqrt(k) / 2T with k <= 10^6 (residue_operands_tmpl.c). *)
Theorem moduli_are_coprime : coprime moduli.
Proof. apply coprime_checked. vm_compute. reflexivity. Qed.

Theorem moduli_are_bytes : Forall (fun p => 100 < p < 256) moduli /\
  Z.of_nat (length moduli) = EXB_MODULI_MAX /\ 2 ^ 39 < product (firstn (Z.to_nat EXB_MODULI_MIN) moduli).
Proof.
  split; [|vm_compute; split; reflexivity].
  apply Forall_forall. intros p Hp.
  assert (H : forallb (fun p => (100 <? p) && (p <? 256)) moduli = true) by (vm_compute; reflexivity).
  rewrite forallb_forall in H. specialize (H p Hp). lia.
Qed.

Lemma coprime_product p l : Forall (fun q => Z.gcd p q = 1) l -> rel_prime p (product l).
Proof.
  induction 1 as [|q l H _ IH]; simpl.
  - apply rel_prime_sym, rel_prime_1.
  - apply rel_prime_mult; auto. now apply Zgcd_1_rel_prime.
Qed.

Lemma residues_divide l x : coprime l -> Forall (fun p => (p | x)) l -> (product l | x).
Proof.
  intros C H. induction l as [|p l IH]; simpl; [exists x; ring|].
  destruct C as [C1 C2]. inversion H as [|? ? Hp Hl]; subst.
  destruct (IH C2 Hl) as [k Hk]. apply coprime_product in C1.
  rewrite Hk in Hp. rewrite Z.mul_comm in Hp.
  apply Gauss in Hp; auto. destruct Hp as [m Hm]. exists m. subst. ring.
Qed.

(* Two integers below P / 2 with the same residues are equal: C' is what its residues say. *)
Theorem residues_determine l x y : coprime l -> Forall (fun p => x mod p = y mod p) l ->
  Forall (fun p => 0 < p) l -> 2 * Z.abs x < product l -> 2 * Z.abs y < product l -> x = y.
Proof.
  intros C H P Hx Hy.
  assert (D : (product l | x - y)).
  { apply residues_divide; auto. rewrite Forall_forall in *. intros p Hp.
    specialize (H p Hp). specialize (P p Hp). apply Z.mod_divide; [lia|].
    rewrite Zminus_mod, H, Z.sub_diag. apply Z.mod_0_l. lia. }
  destruct D as [k Hk]. assert (k = 0); nia.
Qed.

(* Sums of bytes: 255 * 128 * k, and with the sum of another panel and the constants. *)
Theorem byte_sums_fit (a b : list Z) : length a = length b ->
  Forall (fun x => 0 <= x <= 255) a -> Forall (fun x => -128 <= x <= 127) b ->
  Z.of_nat (length a) <= 4 * EXB_RESIDUE_QUADS ->
  Z.abs (fold_right Z.add 0 (map (fun xy => fst xy * snd xy) (combine a b))) < 2 ^ 31.
Proof.
  intros L A B K.
  assert (G : Z.abs (fold_right Z.add 0 (map (fun xy => fst xy * snd xy) (combine a b))) <=
              255 * 128 * Z.of_nat (length a)).
  { clear K. revert b L B. induction A as [|x a Hx _ IH]; intros [|y b] L B; try discriminate.
    inversion B as [|? ? Hy B']; subst. simpl in L. injection L as L.
    specialize (IH b L B'). cbn [combine map fold_right length fst snd].
    rewrite Nat2Z.inj_succ. nia. }
  unfold EXB_RESIDUE_QUADS in K. lia.
Qed.

(* A sum of bytes of digits with constants, and its offset, is reduced exactly. *)
Theorem digit_sums_fit : EXB_DIGITS_MAX * 4 * 255 * 128 + 128 <= EXB_REDUCED.
Proof. unfold EXB_DIGITS_MAX, EXB_REDUCED. lia. Qed.

(* --- reconstruction --------------------------------------------------------------- *)

Open Scope R_scope.

(* q P + C' with |C'| <= (1/2 - 0.006) P: the nearest integer to an estimate within 2^-10 is q. *)
Theorem multiple_is_found (q : Z) (P C estimate : R) : 0 < P ->
  Rabs C <= (1 / 2 - 6 / 1000) * P -> Rabs (estimate - (IZR q * P + C) / P) <= / 1024 ->
  ZnearestE estimate = q.
Proof.
  intros HP HC He. apply Znearest_imp.
  assert (D : Rabs (C / P) <= 1 / 2 - 6 / 1000).
  { unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ P)) by (apply Rlt_le, Rinv_0_lt_compat, HP).
    apply Rmult_le_reg_r with P; auto. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  replace (estimate - IZR q) with ((estimate - (IZR q * P + C) / P) + C / P) by (field; lra).
  apply Rle_lt_trans with (1 := Rabs_triang _ _). lra.
Qed.

(* --- what rounding to integers left out ---------------------------------------------- *)

Definition dot (x y : list R) := fold_right Rplus 0 (map (fun p => fst p * snd p) (combine x y)).
Definition one_norm (x : list R) := fold_right (fun a s => Rabs a + s) 0 x.
Definition two_norm (x : list R) := sqrt (fold_right (fun a s => a * a + s) 0 x).

Lemma one_norm_pos x : 0 <= one_norm x.
Proof. induction x; simpl; [lra|]. pose proof (Rabs_pos a). lra. Qed.

Lemma squares_pos x : 0 <= fold_right (fun a s => a * a + s) 0 x.
Proof. induction x; simpl; [lra|]. nra. Qed.

Lemma dot_one_inf x y m : Forall (fun b => Rabs b <= m) y -> 0 <= m ->
  Rabs (dot x y) <= one_norm x * m.
Proof.
  intros H M. revert y H. unfold dot. induction x as [|a x IH]; intros [|b y] H; simpl.
  1-2: rewrite Rabs_R0; lra.
  - rewrite Rabs_R0. pose proof (Rabs_pos a). pose proof (one_norm_pos x). nra.
  - inversion H as [|? ? Hb Hy]; subst. apply Rle_trans with (1 := Rabs_triang _ _).
    rewrite Rabs_mult. specialize (IH y Hy). pose proof (Rabs_pos a). nra.
Qed.

(* Cauchy and Schwarz. *)
Lemma dot_two_two x y : length x = length y -> Rabs (dot x y) <= two_norm x * two_norm y.
Proof.
  intros L. unfold two_norm. rewrite <- sqrt_mult by apply squares_pos.
  rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. unfold Rsqr, dot.
  revert y L. induction x as [|a x IH]; intros [|b y] L; try discriminate; simpl.
  { lra. }
  simpl in L. injection L as L. specialize (IH y L).
  set (d := fold_right Rplus 0 _) in *. pose proof (squares_pos x) as X. pose proof (squares_pos y) as Y.
  set (s := fold_right _ 0 x) in *. set (t := fold_right _ 0 y) in *.
  (* 2 a b d <= a^2 t + b^2 s, because d^2 <= s t *)
  assert (K : 2 * (a * b * d) <= a * a * t + b * b * s).
  { apply Rle_trans with (2 * Rabs (a * b * d)); [pose proof (Rle_abs (a * b * d)); lra|].
    rewrite Rabs_mult.
    assert (Dr : Rabs d <= sqrt s * sqrt t).
    { rewrite <- sqrt_mult by easy. rewrite <- sqrt_Rsqr_abs. now apply sqrt_le_1_alt. }
    assert (Sq : forall z, 0 <= z -> sqrt z * sqrt z = z) by (intros; now apply sqrt_sqrt).
    pose proof (sqrt_pos s) as S0. pose proof (sqrt_pos t) as T0.
    rewrite <- (Sq s X), <- (Sq t Y) at 1. set (p := sqrt s) in *. set (q := sqrt t) in *.
    rewrite Rabs_mult. pose proof (Rabs_pos a) as A0. pose proof (Rabs_pos b) as B0.
    replace (a * a * (q * q) + b * b * (p * p)) with
      ((Rabs a * q) * (Rabs a * q) + (Rabs b * p) * (Rabs b * p)).
    2: { assert (Ab : forall z, Rabs z * Rabs z = z * z).
         { intros z. rewrite <- Rabs_mult. apply Rabs_pos_eq. nra. }
         replace (Rabs a * q * (Rabs a * q)) with ((Rabs a * Rabs a) * (q * q)) by ring.
         replace (Rabs b * p * (Rabs b * p)) with ((Rabs b * Rabs b) * (p * p)) by ring.
         now rewrite !Ab. }
    assert (0 <= Rabs a * Rabs b) by now apply Rmult_le_pos.
    assert (Rabs a * Rabs b * Rabs d <= Rabs a * Rabs b * (p * q)) by (apply Rmult_le_compat_l; auto).
    pose proof (Rle_0_sqr (Rabs a * q - Rabs b * p)) as N. unfold Rsqr in N. nra. }
  nra.
Qed.

Lemma dot_minus_l x x' y : length x = length x' ->
  dot x y - dot x' y = dot (map (fun p => fst p - snd p) (combine x x')) y.
Proof.
  revert x' y. unfold dot. induction x as [|a x IH]; intros [|a' x'] [|b y] L; try discriminate; simpl; try lra.
  simpl in L. injection L as L. rewrite <- (IH x' y L). ring.
Qed.

Lemma dot_sym x y : dot x y = dot y x.
Proof.
  revert y. unfold dot. induction x as [|a x IH]; intros [|b y]; simpl; auto. rewrite IH. ring.
Qed.

Definition minus (x y : list R) := map (fun p => fst p - snd p) (combine x y).

(* C: lib/level3/residue_math.h
   double rows = exb_lesser(row_lost_1 * inf, row_lost_2 * two);
   double columns = exb_lesser(row_inf * lost_1, row_two * lost_2); *)
Theorem left_out_is_bounded a a' b b' a_inf b_inf :
  length a = length a' -> length b = length b' -> length a = length b ->
  Forall (fun x => Rabs x <= a_inf) a -> Forall (fun x => Rabs x <= b_inf) b' ->
  0 <= a_inf -> 0 <= b_inf ->
  Rabs (dot a b - dot a' b') <=
    Rmin (one_norm (minus a a') * b_inf) (two_norm (minus a a') * two_norm b') +
    Rmin (a_inf * one_norm (minus b b')) (two_norm a * two_norm (minus b b')).
Proof.
  intros La Lb Lab Ha Hb Pa Pb.
  assert (Lm : forall x y : list R, length x = length y -> length (minus x y) = length x).
  { intros x y L. unfold minus. rewrite map_length, combine_length. lia. }
  replace (dot a b - dot a' b') with (dot (minus a a') b' + dot (minus b b') a).
  2: { unfold minus. rewrite <- !dot_minus_l by easy. rewrite (dot_sym b a), (dot_sym b' a). ring. }
  apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat; apply Rmin_glb.
  - now apply dot_one_inf.
  - apply dot_two_two. rewrite Lm by easy. congruence.
  - rewrite Rmult_comm. now apply dot_one_inf.
  - rewrite Rmult_comm. apply dot_two_two. rewrite Lm by easy. congruence.
Qed.
